// What goes to a tracker and comes from it, as messages, and back.
#pragma once

#include "driver/remote/tracking.h"

namespace vta::remote {
class Announcement;
class Announcement_Server;
class FindReply;
class FindRequest;
class ListReply;
}  // namespace vta::remote

namespace vta::driver::remote {

namespace wire = ::vta::remote;

void ToWire(const ServerState& state, wire::ListReply* out);
/// Without what Hello says.
ServerState FromWire(const wire::ListReply& message);
void ToWire(const AnnouncedServer& server, wire::Announcement* out);
/// Of the first one. Errors: throws Error for what clients could not name, or of another version.
AnnouncedServer FromWire(const wire::Announcement& message);
/// Of each one. Errors: throws Error for devices that clients could not name, and too many.
ServerState StateOf(const wire::Announcement& message);
void ToWire(const FindOptions& options, wire::FindRequest* out);
/// Errors: throws Error for what is no key.
FindOptions FromWire(const wire::FindRequest& message);
void ToWire(const Found& found, wire::FindReply* out);
/// Servers of `key`. Errors: throws Error for addresses that are none.
Found FromWire(const wire::FindReply& message, const std::string& key);

}  // namespace vta::driver::remote
