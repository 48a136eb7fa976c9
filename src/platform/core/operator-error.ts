/** An error that the operator can fix. Its message is a sentence that says what to do; it is printed without a stack. */
export class OperatorError extends Error {}
