import Testing

@testable import RadioShare
