import { jsonLines, type Running } from './process.ts'

/** Returns the entries of a process's log with that message, oldest first. */
export function logged({ output }: Running, message: string) {
  const whole = output.stdout.slice(0, output.stdout.lastIndexOf('\n') + 1)
  return jsonLines(whole).filter(({ msg }) => msg === message)
}
