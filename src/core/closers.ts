/** Functions that close what was opened, in the order of opening. */
export type Closers = (() => Promise<void>)[]

/** Closes everything in reverse order, one after the other. Throws the first error after all have been called. */
export async function closeAll(opened: Closers) {
  const errors: unknown[] = []
  for (const close of opened.reverse()) await close().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
