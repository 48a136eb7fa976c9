/** One mail to one recipient. */
export interface Message {
  /** Stays the same over all attempts, so that a mail client shows the mail once. */
  id: string
  to: string
  subject: string
  text: string
  /** Without it the mail is plain text. */
  html?: string
}

/** Sends mails, by SMTP or into the mail directory. */
export interface Mail {
  /** Resolves when the mail is accepted for delivery. Rejects with a MailError, which says whether another attempt can help. */
  send(message: Message): Promise<void>
  /** Describes where mails go; rejects when that cannot be reached. */
  check(): Promise<string>
  close(): void
}

/** A mail that was not sent. The message holds no address. */
export class MailError extends Error {
  /** True if another attempt would fail the same way. */
  readonly final: boolean

  constructor(message: string, final: boolean, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'MailError'
    this.final = final
  }
}
