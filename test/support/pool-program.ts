/** The program of the tests of process pools. */
process.on('disconnect', () => process.exit())
process.on('message', ({ does, name }: { does: string; name?: string }) => {
  if (does === 'fail') throw new Error('failed')
  if (does === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  // One call, which a thread could not be stopped in.
  if (does === 'fill') JSON.parse(`[${'{},'.repeat(3_000_000)}{}]`)
  if (does === 'wait') return void setTimeout(() => process.send?.('waited'), 500)
  process.send?.(does === 'name' ? String(process.pid) : (name ?? ''))
})
