import { connect } from 'node:net'

/** Opens connections to a port, each of which sends a request when it is open. Prints how each ended. */
const [port, count] = process.argv.slice(2).map(Number)
const ends = await Promise.all(
  Array.from({ length: count }, async (_, n) => {
    await new Promise(wake => setTimeout(wake, n * 8))
    return await new Promise(resolve => {
      const socket = connect(port, '127.0.0.1')
      let sent = false
      let answer = ''
      socket.on('connect', () => {
        sent = true
        socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
      })
      socket.on('data', bytes => {
        answer += bytes
      })
      socket.on('error', () => {})
      socket.on('close', () =>
        resolve(
          answer.startsWith('HTTP/1.1 200') ? 'answered' : answer ? answer.slice(0, 12) : sent ? 'reset' : 'refused'
        )
      )
    })
  })
)
process.stdout.write(JSON.stringify(ends))
