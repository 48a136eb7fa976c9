import { jsonLines, type Running } from './process.ts'

/** What the log of a process says under that message, oldest first. */
export function logged({ output }: Running, message: string) {
  const whole = output.stdout.slice(0, output.stdout.lastIndexOf('\n') + 1)
  return jsonLines(whole).filter(({ msg }) => msg === message)
}

/** The processes of a server's workers, the latest of each number. */
export function pidsOf(server: Running) {
  return [...new Map(logged(server, 'worker serves').map(({ worker, pid }) => [worker, Number(pid)])).values()]
}
