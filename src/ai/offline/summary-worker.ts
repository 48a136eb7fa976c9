import { parentPort } from 'node:worker_threads'
import { summarizeOffline } from './summarize.ts'
import { serveThread } from './thread.ts'

if (parentPort) serveThread(parentPort, summarizeOffline)
