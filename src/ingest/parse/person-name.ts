import { isName } from './speaker.ts'

/** What transcripts call those whose name they do not know, and who is more than one. */
const NOBODY = new Set(
  `speaker speakers participant participants guest guests host hosts cohost co-host user caller callers callee agent customer client support service sales rep representative
  interviewer interviewee moderator operator narrator presenter attendee attendees audience everyone everybody all both several others other
  unknown unidentified unnamed anonymous inaudible crosstalk silence music applause laughter noise voice voices man woman male female person people
  me you i we he she they them doctor patient teacher student assistant bot ai recorder recording system room phone iphone ipad dialin
  sprecher sprecherin teilnehmer teilnehmerin unbekannt unbekannter moderatorin gast ich intervenant intervenante locuteur locutrice inconnu
  inconnue participante animateur invité hablante orador oradora interlocutor desconocido desconocida locutor locutora falante participante
  desconhecido desconhecida parlante relatore sconosciuto sconosciuta partecipante spreker onbekend deelnemer talare okänd deltagare taler
  ukjent ukendt puhuja mówca nieznany спикер участник неизвестный неизвестно говорящий 話者 不明 参加者 说话人 說話人 发言人 發言人 讲话者 未知 화자 참석자`.split(
    /\s+/
  )
)

/** Whether a label names a person: "Ada Lovelace", but not "Speaker 1", "SPEAKER_00", "Unknown", "Guest A", "+1 555 0100" or "Q". */
export function isPersonName(label: string) {
  if (!isName(label)) return false
  const bare = label.replace(/\([^()]*\)/g, ' ').trim()
  if (/[\p{N}@]/u.test(bare) || [...bare].length < 2) return false
  const words = bare
    .toLowerCase()
    .split(/[\s_#.,&/-]+/)
    .filter(Boolean)
  return !words.every(word => NOBODY.has(word) || [...word].length === 1)
}
