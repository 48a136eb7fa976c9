/** Does the work when it is first asked for, and keeps the result. Work that failed is done again. */
export function lazy<T>(work: () => T) {
  let made: { value: T } | undefined
  return () => {
    if (made) return made.value
    made = { value: work() }
    if (made.value instanceof Promise)
      made.value.catch(() => {
        made = undefined
      })
    return made.value
  }
}
