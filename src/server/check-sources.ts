import type { IdentityProvider } from '../accounts/oidc/identity.ts'
import type { Embeddings } from '../ai/ai.ts'
import { chooseEmbeddings, chooseMail, chooseMedia, chooseOidc, openConfigured } from '../compose.ts'
import type { Config } from '../config/config.ts'
import { openDiskReserve } from '../core/disk-reserve.ts'
import type { OpenDatabase } from '../db/open.ts'
import type { Mail } from '../mail/mail.ts'
import type { MediaStore } from '../recordings/store.ts'

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
