import { setOf } from './lexicon.ts'

/** Verbs of work in their infinitives, which stand last in German and first in French and Spanish. */
export const VERBS: Readonly<Record<string, RegExp>> = {
  de: /(?:^|\s)(?:\p{L}*(?:schicken|senden|schreiben|vorbereiten|erstellen|klären|prüfen|buchen|bestellen|kaufen|anrufen|kontaktieren|organisieren|planen|aktualisieren|liefern|besorgen|fertigstellen|überarbeiten|nachfragen|melden|einladen|weiterleiten|hochladen|zusammenstellen|korrigieren|testen|dokumentieren|unterschreiben|kümmern|verschieben|absagen|einreichen|drucken|mitbringen|recherchieren|ausarbeiten|abklären|einrichten))$/iu,
  fr: /^(?:envoyer|préparer|écrire|rédiger|vérifier|appeler|contacter|réserver|commander|acheter|organiser|planifier|finir|terminer|mettre à jour|partager|transmettre|corriger|relire|créer|demander|rappeler|fournir|compléter|installer|tester|documenter|signer|inviter|imprimer|publier|reporter|annuler|finaliser|faire (?:un|une|le|la))(?=\s|$)/iu,
  es: /^(?:enviar(?:te|le|les|me|nos|lo|la)?|mandar(?:te|le|les|me|nos|lo|la)?|preparar|escribir(?:le|les)?|redactar|revisar|llamar(?:te|le)?|contactar|reservar|pedir|comprar|organizar|planificar|terminar|actualizar|compartir|corregir|crear|preguntar(?:le)?|confirmar|entregar|completar|instalar|probar|documentar|firmar|invitar|imprimir|publicar|cancelar|averiguar|verificar)(?=\s|$)/iu
}

export const SEPARABLE = setOf(
  'an ab auf aus bei durch ein fest fertig her hin hoch los mit nach vor weg weiter zu zurück zusammen um rum raus rein'
)

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

export const DATE_WORDS: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  de: [
    [/\b(?:guten|heute) morgen\b|\bam morgen\b/giu, ''],
    [/\bübermorgen\b/giu, 'the day after tomorrow'],
    [/\bmorgen\b/giu, 'tomorrow'],
    [/\bheute\b/giu, 'today'],
    [/\bnächster? woche\b/giu, 'next week'],
    [/\bin (?:einer|1) woche\b/giu, 'in one week'],
    [/\bin zwei wochen\b/giu, 'in two weeks'],
    ...translated('montag dienstag mittwoch donnerstag freitag (?:samstag|sonnabend) sonntag', WEEKDAYS),
    ...months('januar februar märz april mai juni juli august september oktober november dezember', '\\.? '),
    [/\bbis(?: zum)? /giu, 'by ']
  ],
  fr: [
    [/\baprès-demain\b/giu, 'the day after tomorrow'],
    [/\bdemain\b/giu, 'tomorrow'],
    [/\baujourd['’]hui\b/giu, 'today'],
    [/\bla semaine prochaine\b/giu, 'next week'],
    [/\bdans deux semaines\b/giu, 'in two weeks'],
    ...translated('lundi mardi mercredi jeudi vendredi samedi dimanche', WEEKDAYS),
    ...months('janvier février mars avril mai juin juillet août septembre octobre novembre décembre', ' '),
    [/\bavant /giu, 'by ']
  ],
  es: [
    [/\bpasado mañana\b/giu, 'the day after tomorrow'],
    [/\b(?:por|de|en) la mañana\b/giu, ''],
    [/(?<!\p{L})mañana(?!\p{L})/giu, 'tomorrow'],
    [/\bhoy\b/giu, 'today'],
    [/\bla (?:próxima semana|semana que viene)\b/giu, 'next week'],
    [/\ben dos semanas\b/giu, 'in two weeks'],
    ...translated('lunes martes miércoles jueves viernes sábado domingo', WEEKDAYS),
    ...months('enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre', ' de '),
    [/\bantes del? /giu, 'by ']
  ]
}

function translated(words: string, english: readonly string[]): [RegExp, string][] {
  return words.split(' ').map((word, at) => [new RegExp(`(?<!\\p{L})${word}(?!\\p{L})`, 'giu'), english[at] ?? ''])
}

/** A month counts only after its day. */
function months(words: string, between: string): [RegExp, string][] {
  return words
    .split(' ')
    .map((word, at) => [new RegExp(`(?<!\\d)(\\d{1,2})(?:er)?${between}${word}(?!\\p{L})`, 'giu'), `$1 ${MONTHS[at] ?? ''}`])
}
