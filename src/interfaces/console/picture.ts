import { html } from '../web/html.ts'

/** Two people who speak. */
export const PICTURE = html`<svg viewBox="0 0 44 44" fill="none" stroke="currentColor" stroke-width="3" stroke-linejoin="round" aria-hidden="true">
<path d="M5 8h22v15H15l-6 6v-6H5z"/><path d="M32 16h7v15h-4v6l-6-6H19v-3"/></svg>`
