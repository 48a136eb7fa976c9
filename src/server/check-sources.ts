import type { Embeddings } from '../platform/ai/ai.ts'
import type { Config } from '../platform/config/config.ts'
import type { OpenDatabase } from '../platform/db/open.ts'
import type { Mail } from '../platform/mail/mail.ts'
import type { IdentityProvider } from '../platform/ports/identity-provider.ts'
import type { MediaStore } from '../platform/ports/media-store.ts'
import { openDiskReserve } from '../platform/work/disk-reserve.ts'
import { chooseEmbeddings, chooseMail, chooseMedia, chooseOidc, openConfigured } from './compose.ts'

/** How a check gets what it asks, and gives it back: a command opens and closes it, a server has it open. */
export interface Sources {
  database(): Promise<OpenDatabase>
  media(): Promise<MediaStore>
  mail(): Promise<Mail>
  oidc(): Promise<IdentityProvider | undefined>
  embeddings(): Promise<Embeddings>
}

/** Opens everything for the checks of a command. */
export function openSources(config: Config): Sources {
  return {
    database: () => openConfigured(config.database, { share: true, name: 'parlance doctor', onError: () => {} }),
    media: () => chooseMedia(config, openDiskReserve(config.diskReserveMib)),
    mail: () => chooseMail(config),
    oidc: () => chooseOidc(config, { now: () => new Date() }),
    embeddings: () => chooseEmbeddings(config)
  }
}
