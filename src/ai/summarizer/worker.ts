import { parentPort } from 'node:worker_threads'
import type { Conversation } from '../ai.ts'
import { serveThread } from '../thread.ts'
import { summarizeOffline } from './summarize.ts'

export interface SummaryRequest {
  conversation: Conversation
  /** The maximum number of characters to read. Default: the summarizer's own limit. */
  characters?: number
}

if (parentPort)
  serveThread(parentPort, ({ conversation, characters }: SummaryRequest) => summarizeOffline(conversation, characters))
