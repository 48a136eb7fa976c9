/** How to close what is open, in the order of opening. */
export type Closers = (() => Promise<void>)[]

/** The last opened first, one after the other. Throws the first fault, when all others have been closed all the same. */
export async function closeAll(opened: Closers) {
  const faults: unknown[] = []
  for (const close of opened.reverse()) await close().catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0) throw faults[0]
}
