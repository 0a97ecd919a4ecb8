# What stands in for a tool's interpreter: the commands that it declares, with their options; and the script that runs with them.

# Declares a command: options that take a value, flags, and how many positional arguments. A positional one that is named may be given
# as an option as well. `body` finds the options in `options`, the others in `arguments`.
set declared {}
proc command {name values flags least most body {named {}}} {
  lappend ::declared $name
  proc $name args [string map [list @NAME@ $name @VALUES@ $values @FLAGS@ $flags @LEAST@ $least @MOST@ $most @NAMED@ $named] {
    lassign [parse_options {@NAME@} {@VALUES@} {@FLAGS@} {@LEAST@} {@MOST@} {@NAMED@} $args] options arguments
  }]$body
}

proc parse_options {name values flags least most named words} {
  set options [dict create]
  set arguments {}
  for {set i 0} {$i < [llength $words]} {incr i} {
    set word [lindex $words $i]
    if {[regexp {^(-[a-z0-9_]+)=(.*)$} $word all key value] && $key in $values} {
      dict set options $key $value
    } elseif {![regexp {^-[a-z_]+$} $word]} {
      lappend arguments $word
    } elseif {$word in $flags || $word in {-quiet -verbose}} {
      dict set options $word 1
    } elseif {$word in $values || $word eq $named} {
      if {[incr i] >= [llength $words]} { error "$name: $word wants a value" }
      if {$word eq $named} { lappend arguments [lindex $words $i] } else { dict set options $word [lindex $words $i] }
    } else {
      error "$name: unknown option $word"
    }
  }
  set count [llength $arguments]
  if {$count < $least || $count > $most} { error "$name: has $count arguments, must have $least to $most" }
  return [list $options $arguments]
}

proc option {options name {default ""}} {
  expr {[dict exists $options $name] ? [dict get $options $name] : $default}
}
proc read_text {path} {
  set in [open $path]
  set text [read $in]
  close $in
  return $text
}
proc must_exist {path} {
  if {![file exists $path]} { error "no such file: $path" }
}
proc fact args { puts "fact $args" }

# The script runs in an interpreter of its own, which has Tcl's commands and the declared ones: any other is an error, not a program of
# the system. Its `exit` ends it.
proc leave {{status 0}} {
  if {$status != 0} { error "exit $status" }
  error "" "" LEAVE
}
proc run_script {name arguments} {
  set script [interp create]
  interp eval $script { namespace eval ipx {} }
  foreach name_of $::declared {
    if {![string match xdc_* $name_of]} { interp alias $script $name_of {} $name_of }
  }
  interp alias $script exit {} leave
  interp eval $script [list set auto_noexec 1]
  interp eval $script [list set argv $arguments]
  interp eval $script [list set argc [llength $arguments]]
  if {[catch { interp eval $script [list source $name] } message] && $::errorCode ne "LEAVE"} {
    puts stderr "[file tail $name]: $message"
    exit 1
  }
}
