export interface Progress {
  show(text: string): void
  end(): void
}

/** A line on the terminal that tells how far a command is, once it has taken a second. Nothing where there is no terminal. */
export function startProgress(): Progress {
  const { stderr } = process
  const startedAt = Date.now()
  let shown = false
  return {
    show(text) {
      if (!stderr.isTTY || Date.now() - startedAt < 1_000) return
      stderr.write(`\r\u001b[K${text}`)
      shown = true
    },
    end() {
      if (shown) stderr.write('\r\u001b[K')
      shown = false
    }
  }
}
