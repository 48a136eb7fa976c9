/** Does the work when it is first asked for, once; after a failure again. */
export function once<T>(work: () => Promise<T>) {
  let made: Promise<T> | undefined
  return () => {
    made ??= work().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}
