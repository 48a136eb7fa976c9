/** How to close what is open, in the order of opening. */
export type Closers = (() => Promise<void>)[]

/** The last opened first, one after the other. */
export async function closeAll(opened: Closers) {
  for (const close of opened.reverse()) await close()
}
