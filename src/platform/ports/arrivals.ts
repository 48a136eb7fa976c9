/** The events that end a wait: those of the feed, by the number of the newest, or all, by how many there were. */
export type Awaited = 'feed' | 'all'

/** The end of a wait: an event, the end of its time, or the end of the request or of the server. */
export type Arrival = 'arrived' | 'elapsed' | 'ended'

/** Lets requests wait for the next event of their user. */
export interface Arrivals {
  /** Resolves when the user has an event after `head`, after `ms`, when the signal aborts, or once it is closed. */
  wait(userId: string, head: number, ms: number, signal: AbortSignal, awaited?: Awaited): Promise<Arrival>
  /** Ends every wait, those to come too, so that a server can stop. */
  close(): void
}
