/** Failures that a client can understand and do something about. */
export const FAILURES = {
  noSpeech: 'There is no speech to summarize: delete the session, and import it again with a transcript or a summary',
  endedServer:
    'Processing this conversation ended the server three times: import it again in smaller parts, or ask the operator to find the cause and retry it',
  providerAway:
    'The AI provider of this server did not answer for an hour: retry the conversation later, or ask the operator of the server',
  tooLarge:
    'The recording is larger than this server can transcribe: import it in smaller parts, or ask the operator of the server',
  unreadable: 'The recording cannot be read as sound: import it in another format',
  missedCall: 'The call was missed',
  failedCall: 'The call failed'
} as const

/** Why processing waits, for the owner of the session. */
export const WAITS = {
  provider:
    'The AI provider of this server does not answer: processing goes on by itself once it does, and the operator can help if that takes long'
} as const

const KNOWN = new Set<string>(Object.values(FAILURES))
const OTHER = 'The server could not process the conversation; retry it later, or ask the operator of the server'

/** The failure of a session as its owner may see it. The operator's sentences name settings, folders and providers. */
export function toFailureReason(failure: string | null) {
  return failure === null || KNOWN.has(failure) ? failure : OTHER
}
