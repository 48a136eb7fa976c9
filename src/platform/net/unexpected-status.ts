/** A server answered with another status than the one that was expected. */
export class UnexpectedStatus extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The answer has the status ${status}`)
    this.name = 'UnexpectedStatus'
    this.status = status
  }
}
