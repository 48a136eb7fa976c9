/** Does the work when it is first asked for, and keeps the result. */
export function lazy<T>(work: () => T) {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: work() }
    return made.value
  }
}
