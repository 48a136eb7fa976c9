const PARTS = ['overview', 'keyPoints', 'decisions', 'openQuestions', 'nextSteps', 'participants', 'topics', 'by', 'partial'] as const
const WORDINGS: Record<string, string> = {
  en: 'Overview|Key points|Decisions|Open questions|Next steps|Participants|Main topics|by|Only the first part of the conversation is summarised.',
  de: 'Überblick|Kernpunkte|Entscheidungen|Offene Fragen|Nächste Schritte|Teilnehmende|Hauptthemen|bis|Nur der erste Teil des Gesprächs ist zusammengefasst.',
  fr: 'Aperçu|Points clés|Décisions|Questions ouvertes|Prochaines étapes|Participants|Thèmes principaux|avant le|Seule la première partie de la conversation est résumée.',
  es: 'Resumen|Puntos clave|Decisiones|Preguntas abiertas|Próximos pasos|Participantes|Temas principales|antes del|Solo se resume la primera parte de la conversación.',
  it: 'Panoramica|Punti chiave|Decisioni|Domande aperte|Prossimi passi|Partecipanti|Temi principali|entro il|È riassunta solo la prima parte della conversazione.',
  pt: 'Visão geral|Pontos principais|Decisões|Questões em aberto|Próximos passos|Participantes|Temas principais|até|Só a primeira parte da conversa está resumida.',
  nl: 'Overzicht|Belangrijkste punten|Besluiten|Open vragen|Volgende stappen|Deelnemers|Belangrijkste onderwerpen|uiterlijk|Alleen het eerste deel van het gesprek is samengevat.'
}

/** The fixed words of a summary. `partial` follows the overview when the end of the conversation was not read. */
export type Wording = (part: (typeof PARTS)[number]) => string

/** The wording of a language; English for a language without its own. */
export function wordingOf(code: string): Wording {
  const words = (WORDINGS[code] ?? WORDINGS.en)?.split('|')
  return part => words?.[PARTS.indexOf(part)] ?? ''
}
