export interface Progress {
  show(text: string): void
  end(): void
}

/** Shows a progress line on a terminal once a command has taken a second; shows nothing elsewhere. */
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
