import Foundation

// Handlers of completion forms would need a running main queue; the demo uses the async forms alone.
exit(await Atlas.main(Array(CommandLine.arguments.dropFirst())))
