/** One mail to one person. Nothing in it but `text` and `html` is made of what users write. */
export interface Message {
  /** The same for every attempt at this mail, so that a reader shows it once. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

/** Takes mails to their readers, or to where somebody looks for them. */
export interface Mail {
  /** Returns when the mail is somebody else's to deliver. Throws a MailError, which says whether to try again. */
  send(message: Message): Promise<void>
  /** Says where mails go; throws when that cannot be reached. */
  check(): Promise<string>
  close(): void
}

/** Why a mail was not sent. The message names no address. */
export class MailError extends Error {
  /** Whether trying again would end the same way. */
  readonly final: boolean

  constructor(message: string, final: boolean, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'MailError'
    this.final = final
  }
}
