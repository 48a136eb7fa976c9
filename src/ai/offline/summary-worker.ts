import { parentPort } from 'node:worker_threads'
import type { Conversation } from '../ai.ts'
import { summarizeOffline } from './summarize.ts'
import { serveThread } from './thread.ts'

export interface Reading {
  conversation: Conversation
  /** How many of its characters are read; as many as the summary usually takes where it is left out. */
  characters?: number
}

if (parentPort) serveThread(parentPort, ({ conversation, characters }: Reading) => summarizeOffline(conversation, characters))
