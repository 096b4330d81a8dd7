import MQTTBridge

// Serves connections to brokers as the shipped executable does, and does nothing else: what tests have brokers served by, because the
// process of the tests has no such argument.

ConnectionProcess.runIfAsked(CommandLine.arguments)
