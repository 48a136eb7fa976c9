import { jsonLines, type Running } from './process.ts'

/** What the log of a process says under that message, oldest first. */
export function logged({ output }: Running, message: string) {
  const whole = output.stdout.slice(0, output.stdout.lastIndexOf('\n') + 1)
  return jsonLines(whole).filter(({ msg }) => msg === message)
}
