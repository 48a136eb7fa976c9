/** Reads documents of other servers, by the rules of addresses that webhooks have. */
export interface Fetcher {
  /**
   * Returns the bytes of a document. Follows no redirect. Throws unless it arrives whole, in time, with status 200 and one of the media types, and
   * UnexpectedStatus for another status.
   */
  fetch(url: string, expected: { types: readonly string[]; maxBytes: number }): Promise<Buffer>
  close(): Promise<void>
}
