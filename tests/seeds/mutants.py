#!/usr/bin/env python3
"""Plants a fault for each row of docs/seeds.md, and says whether a test of that row fails of it.

usage: mutants.py [ROW...]

Works in a clone of the last commit in build/seeds-mutants, with the compiler's cache. Ends with 1 where a fault passes, or one cannot be
planted or built.
"""

import csv
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
CLONE = os.path.join(ROOT, "build/seeds-mutants")
TARGETS = {"cli": ["vta"], "cross": ["vta"], "install": ["all"], "remote": ["remote_test", "vta"]}  # of other groups it is GROUP_test

# Row: a file, text that occurs once, what it becomes, and the test and case of rows.csv that fail.
MUTANTS = {
    1: ("compiler/te/te.cc", "axis.extent(), IterKind::kReduce);", "axis.extent(), IterKind::kSpatial);", "compiler.Te", "MatmulText"),
    2: ("compiler/loop/schedule/fuse.cc", "FloorDiv(Expr(fused), inner.extent)", "FloorDiv(Expr(fused), outer.extent)",
        "compiler.Workloads/Property", "RandomSchedulesComputeTheSame"),
    3: ("compiler/loop/schedule/split.cc", "if (outer * inner != loop.extent)", "if (outer * inner < loop.extent)",
        "compiler.Files/LoopPass", "tests/passes/loop/split/split.txt"),
    4: ("compiler/loop/schedule/reorder.cc", "order[places[i]] = wanted[i];", "order[places[i]] = site.loops[places[i]];",
        "compiler.Files/LoopPass", "tests/passes/loop/reorder/reorder.txt"),
    5: ("compiler/loop/schedule/tile.cc", "{block, ys[0], xs[0], ys[1], xs[1]}", "{block, ys[0], ys[1], xs[0], xs[1]}",
        "compiler.Files/LoopPass", "tests/passes/loop/tile/tile.txt"),
    6: ("compiler/loop/schedule/vectorize.cc", "loop.kind = ForKind::kVectorize;", "loop.kind = ForKind::kUnroll;",
        "compiler.Files/LoopPass", "tests/passes/loop/vectorize/vectorize.txt"),
    7: ("compiler/loop/schedule/unroll.cc", "loop.kind = ForKind::kUnroll;", "loop.kind = ForKind::kSerial;",
        "compiler.Files/LoopPass", "tests/passes/loop/unroll/unroll.txt"),
    8: ("compiler/loop/schedule/parallel.cc", "WhyNotIndependent(stmt, {}); !why.empty()", "WhyNotIndependent(stmt, {}); why == a.args[0]",
        "compiler.Files/LoopPass", "tests/passes/loop/parallel/dependent_refused.txt"),
    9: ("compiler/loop/schedule/bind.cc", 'a.args[2] == "blockIdx" ? ForKind::kParallel', 'a.args[2] != "blockIdx" ? ForKind::kParallel',
        "compiler.Files/LoopPass", "tests/passes/loop/bind/threads.txt"),
    10: ("compiler/loop/schedule/compute_at.cc", "shape[d] = needed[d].extent;", "shape[d] = needed[d].extent + 1;",
         "compiler.Files/LoopPass", "tests/passes/loop/compute_at/halo.txt"),
    11: ("compiler/lower/barriers.cc", "return needed ? ", "return !needed ? ", "compiler.GpuKernel", "EachBarrierKeepsThreadsApart"),
    12: ("compiler/tensorize/match.cc", "return Same(want, have) ||", "return !Same(want, have) ||", "compiler.Tensorize", "Gemm8x8"),
    13: ("compiler/tensorize/match.cc", "return Same(want, have) ||", "return !Same(want, have) ||",
         "install.all", "tests/consumer/compiler_writer/tensorize.cc"),
    14: ("compiler/targets/vta/tasks/tokens.cc", "if (implied) continue;", "if (implied || waits.size() == 1) continue;",
         "compiler.Tokens", "RandomProgramsAreOrderedAndFit"),
    15: ("compiler/targets/vta/kernels/max_pool.cc", "(kernel - first - 1) / stride + 1}", "(kernel - first - 1) / stride}",
         "compiler.MaxPool", "RandomWindows"),
    16: ("compiler/graph/passes/pass.cc", "asked->second == target.Name();", "asked->second != target.Name();",
         "cli.network_test", "tests/cli/network_test.py:test_nodes_are_placed_by_name"),
    17: ("compiler/graph/passes/fuse_rest.cc", "kMostNodes = 64;", "kMostNodes = 1;", "compiler.FuseRest", "ElementwiseOpsJoinWhatTheyRead"),
    18: ("compiler/graph/passes/fold_constants.cc", "if (!graph.constant(input)) return false;", "return input < 0;", "compiler.FoldConstants",
         "ComputesOpsOnConstants"),
    19: ("compiler/graph/passes/choose_storage.cc", "if (step.target == target.Name() && CarriesBlocks(step))",
         "if (step.target != target.Name() && CarriesBlocks(step))", "compiler.ChooseStorage", "WholeBlocksStayBlocks"),
    20: ("compiler/graph/memory_plan.cc", "tensor->offset_bytes + tensor->size_bytes > plan.arena_bytes)",
         "tensor->offset_bytes + tensor->size_bytes > 2 * plan.arena_bytes)", "compiler.MemoryPlanTest", "TheCheckerNamesEachMistake"),
    21: ("compiler/graph/ops/im2col.cc", "CheckedElements({window.kernel[0], window.kernel[1], x.c})",
         "CheckedElements({window.kernel[0], window.kernel[0] - 1, x.c})", "compiler.Im2Col", "OfThreeByThreeIsNineTimesAsLarge"),
    22: ("compiler/loop/schedule/region.cc", "hull.high = range.high + extent - 1;", "hull.high = range.high + extent;",
         "compiler.SpatialPack", "CopiesWhatTheFormulaSays"),
    23: ("compiler/targets/cpu/winograd.cc", "{{{4, 0, -5, 0, 1, 0},", "{{{4, 0, -4, 0, 1, 0},", "compiler.CpuSpace", "WindowsByWinogradsWay"),
    24: ("compiler/models/mobilenet.cc", "{512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},", "{512, 2}, {512, 1},  {512, 1}, {512, 1}, {256, 1},",
         "compiler.KnownModels", "MobilenetV1HasTheNineDepthwiseLayers"),
    25: ("compiler/frontend/tflite/window.cc", "window.after[i] = pads.after;", "window.after[i] = pads.after + 1;",
         "compiler.TfliteDigits", "GiveTheBytesOfTheOnnxForm"),
    26: ("compiler/llvm/requant.cc", 'arm64 ? "llvm.aarch64.neon.smull" : "llvm.arm.neon.vmulls"', 'arm64 ? "llvm.aarch64.neon.umull" : "llvm.arm.neon.vmullu"',
         "cross.board_test", "tests/cross/board_test.py:test_int8_outputs_are_equal_everywhere"),
    27: ("tools/vta/bench/seeds/runs.cc", "    ++shape->steps;", "    shape->steps = 1;", "cli.seeds_test", "tests/cli/seeds_test.py:test_tasks"),
    28: ("compiler/tune/proposer.cc", "model_.Fit(known);", "model_.Fit(others);", "tools.Search", "ByTheModelIsBetterThanAtRandom"),
    29: ("tools/search/module/boosted_trees.cc", "static_cast<double>(quickest) / static_cast<double>(*example.cost)",
         "static_cast<double>(*example.cost) / static_cast<double>(quickest)", "tools.BoostedTrees", "LearnAnOrder"),
    30: ("compiler/tune/annealing.cc", "std::ranges::stable_sort(all, std::greater(), &ScoredPoint::score);",
         "std::ranges::stable_sort(all, std::less(), &ScoredPoint::score);", "compiler.Annealing", "FindsTheBestOfManyPoints"),
    31: ("compiler/tune/annealing.cc", "std::min(starts.size(), kChains / 2)", "starts.size() - starts.size()",
         "compiler.Annealing", "BeginsWhereItIsTold"),
    32: ("driver/remote/wire/stub.cc", "out->add_outputs(output.data(), output.size());", "out->add_outputs(output.data(), output.size() / 2);",
         "remote.tool", "tests/remote/serve_test.py:test_runs_are_those_of_this_machine"),
    33: ("tools/serve/leases.cc", "one.ask->priority < ask.priority;", "one.ask->priority > ask.priority;",
         "remote.LeasesTest", "HigherPrioritiesGoFirstThenThoseThatCameFirst"),
    34: ("runtime/timer.cc", "static_cast<double>(timing.number));", "1.0);", "runtime.TimerTest", "MeasurementsAreMeansOfTheirRuns"),
    35: ("runtime/arena.cc", "return buffer_->CopyOut(offset, bytes);", "return buffer_->CopyOut(offset, bytes.first(bytes.size() / 2));",
         "runtime.SessionTest", "RunsProgramsAndKernelsAnyNumberOfTimesOnAnyMemory"),
    36: ("cmake/toolchains/board.cmake", '"-static -s -Wl,--gc-sections"', '"-static -Wl,--gc-sections"',
         "cross.board_test", "tests/cross/board_test.py:test_what_is_built_is_small_static_and_stripped"),
    37: ("tools/vta/common/trials/search_lines.cc", "]  Current/Best: ", "]  Best/Current: ", "cli.tune_test", "tests/cli/tune_test.py:test_search_log_and_compile"),
    38: ("tools/vta/common/session.cc", "std::max<int64_t>(options.tune.effort, ", "std::max<int64_t>(options.tune.effort > 0 ? 1 : 0, ",
         "cli.tune_test", "tests/cli/tune_test.py:test_effort"),
    39: ("tools/vta/bench/seeds/runs.cc", "              .accelerator_ms;", "              .accelerator_ms * 2;",
         "cli.seeds_test", "tests/cli/seeds_test.py:test_networks"),
    40: ("tools/vta/bench/seeds/bounds.cc", "ratio.value <= bound->most}", "ratio.value >= bound->most}",
         "cli.seeds_test", "tests/cli/seeds_test.py:test_ratios"),
}


def run(*command):
    """Exit status, and all that it printed."""
    environment = dict(os.environ, CCACHE_BASEDIR=CLONE, CCACHE_NOHASHDIR="1", VTA_TEST_WHOLE="1")
    done = subprocess.run(command, cwd=CLONE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment)
    return done.returncode, done.stdout


def needed(*command):
    status, out = run(*command)
    if status:
        sys.exit(f"{' '.join(command)}: status {status}\n{out[-4000:]}")


def targets_of(test):
    group = test.split(".")[0]
    return TARGETS.get(group, [f"{group}_test"])


def fails(test, case, out):
    """Whether the output says that the case failed, and not something else alone."""
    name = case.partition(":")[2]
    if name:
        return re.search(rf"^(FAIL|ERROR): {name} ", out, re.M) is not None
    if case.startswith("tests/"):
        return test == "install.all" or os.path.basename(case) in out
    return re.search(rf"^\[  FAILED  \] \S*{case}", out, re.M) is not None


def plant(row):
    """What came of it: found, MISSED or BROKEN, with what is to be read."""
    path, old, new, test, case = MUTANTS[row]
    with open(os.path.join(CLONE, path), encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        return f"BROKEN: {path} has {text.count(old)} times: {old}"
    try:
        with open(os.path.join(CLONE, path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        status, out = run("ninja", "-C", "build", "-k0", *targets_of(test))
        if status:
            return f"BROKEN: does not build\n{out[-3000:]}"
        status, out = run("ctest", "--test-dir", "build", "-R", f"^{re.escape(test)}$", "--output-on-failure", "--timeout", "600")
        if "No tests were found" in out:
            return f"BROKEN: there is no test {test}"
        if status and fails(test, case, out):
            return "found"
        return f"MISSED by {test} {case}\n{out[-3000:]}"
    finally:
        with open(os.path.join(CLONE, path), "w", encoding="utf-8") as file:
            file.write(text)


def main(rows):
    with open(os.path.join(ROOT, "tests/seeds/rows.csv"), encoding="utf-8", newline="") as file:
        known = {(int(row["row"]), row["test"], row["case"]) for row in csv.DictReader(file)}
    strangers = [row for row, mutant in MUTANTS.items() if (row, *mutant[3:]) not in known] + sorted({row for row, _, _ in known} - MUTANTS.keys())
    if strangers:
        sys.exit(f"rows that have no fault, or one of a test that rows.csv does not have: {strangers}")
    if not os.path.isdir(CLONE):
        subprocess.run(["git", "clone", "-q", ROOT, CLONE], check=True)
    needed("git", "fetch", "-q", ROOT, "HEAD")
    needed("git", "reset", "-q", "--hard", "FETCH_HEAD")
    needed("cmake", "--preset", "release", "-DVTA_BUILD_TESTS=ON")
    targets = sorted({target for row in rows for target in targets_of(MUTANTS[row][3])} | {"vta"})
    needed("ninja", "-C", "build", *targets)
    bad = []
    for row in rows:
        said = plant(row)
        print(f"row {row}: {MUTANTS[row][0]}: {said}", flush=True)
        if said != "found":
            bad.append(row)
    print(f"{len(rows) - len(bad)} of {len(rows)} faults are found" + (f"; not those of {bad}" if bad else ""))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main([int(row) for row in sys.argv[1:]] or sorted(MUTANTS)))
