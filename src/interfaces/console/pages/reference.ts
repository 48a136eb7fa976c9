import type { referencePage } from '../../site/reference-page.ts'
import { type Console, NONE } from '../open-console.ts'

/** The API reference at `/v1/docs/`. */
export function referencePages({ anyone }: Console, load: () => Promise<ReturnType<typeof referencePage>>) {
  anyone.page('/v1/docs', NONE, async () => ({ to: '/v1/docs/' }), { published: true })
  anyone.page('/v1/docs/', NONE, async () => ({ ...(await load()), published: 'reference' }), { published: true })
}
