const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? '')
}

/** Escapes spoken text, so that it never becomes markup. */
export function escapeMarkdown(text: string) {
  return text.replace(/[\\`*[\]<>]|^[#+-]/g, '\\$&').replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
}
