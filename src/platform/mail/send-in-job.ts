import { type Mail, MailError, type Message } from './mail.ts'

interface Attempt {
  /** True if no retry follows a failure. */
  last: boolean
  /** Aborts when this process stops; another process then runs the job. */
  signal: AbortSignal
}

/** Sends a mail in an attempt at a job. Gives up after a permanent refusal or the last attempt, and then says why. */
export async function sendInJob(
  mail: Mail,
  message: Message,
  { last, signal }: Attempt,
  onFailure: (reason: string) => void
) {
  try {
    await mail.send(message)
  } catch (error) {
    const final = error instanceof MailError && error.final
    if (signal.aborted || !(last || final)) throw error
    onFailure(error instanceof Error ? error.message : 'unknown')
  }
}
