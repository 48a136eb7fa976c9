// Waits until a server is ready, or ends with 1 when its process has ended or a minute is over.
const [url = '', pid = ''] = process.argv.slice(2)
const deadline = Date.now() + 60_000

while (!(await isReady())) {
  if (Date.now() > deadline || !isRunning()) process.exit(1)
  await new Promise(wake => setTimeout(wake, 100))
}

function isReady() {
  return fetch(url).then(
    reply => reply.ok,
    () => false
  )
}

function isRunning() {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}
