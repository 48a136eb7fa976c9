/** Rejects if the work takes longer than `ms`. The work itself continues. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException(`It took longer than ${ms} ms`, 'TimeoutError')), ms)
  })
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
