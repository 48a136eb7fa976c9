import { type Lexicon, setOf } from './lexicon.ts'

export const GERMAN: Lexicon = {
  code: 'de',
  stop: setOf(`
ab aber alle allem allen aller alles als also am an andere anderen anderes auch auf aus bei beim bin bis bist da dabei dadurch dafür damit dann daran darauf daraus darf darüber das
dass dein deine dem den denn der des deshalb dich die dies diese diesem diesen dieser dieses dir doch dort du durch eben ein eine einem einen einer eines einfach einige einmal er erst es etwas euch
euer eure für gegen genau gewesen gibt gut hab habe haben habt hast hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jeden jeder
jedes jetzt kann kannst kein keine keinen könnte könnten können könnt machen mal man mehr mein meine meinem meinen meiner mich mir mit muss müssen müsste nach natürlich nein nicht nichts noch nun nur ob oder
ohne schon sehr sein seine seinen seiner seit sich sie sind so soll sollen sollte sollten sondern sonst über um und uns unser unsere unseren unter viel vielleicht vom von vor wann war waren warum was weil
weiter welche welchen welcher wenn wer werde werden wie wieder will wir wird wirst wo wollen wollte worden wurde wurden würde würden zu zum zur zwar zwischen`),
  light: setOf(`
sache sachen ding dinge frage fragen punkt punkte thema beispiel problem teil moment seite tag tage woche wochen monat jahr jahre zeit uhr heute morgen gestern leute ganze ganzen ganz gerne gern letzte letzten nächste nächsten
neue neuen neues große großen gute guten erste ersten zweite zwei drei vier fünf mache macht gemacht sagen sagt gesagt sehen gesehen gehen geht ging kommen kommt denke denken glaube glauben finde finden weiß wissen
brauche brauchen braucht okay genau richtig klar danke bitte hallo halt bisschen eigentlich irgendwie quasi sozusagen wirklich wahrscheinlich mal schauen gucken reden bekommen lassen stellen nehmen geben
schicke schicken werfe bleiben bleibt herr frau damen herren`),
  fillers: setOf('äh ähm öh öhm hm hmm mhm mm tja ähem na naja'),
  tidy: [
    [/\b(?:sozusagen|quasi|irgendwie|halt)\b\s*,?/gi, ''],
    [/,\s*(?:ne|oder|gell|nicht wahr|ja|weißt du|wisst ihr)\s*(?=[.?!]?$)/i, '']
  ],
  openers:
    /^(?:(?:und|aber|also|dann|ja|nein|nee|okay|ok|gut|genau|so|nun|naja|na ja|na|ach|ah|oh|klar|richtig|stimmt|danke|vielen dank|hallo|guten (?:tag|morgen)|sicher|natürlich|wie gesagt|ich meine|weißt du)\s*[,.]\s*|(?:und|aber|also|ja) )/iu,
  badStarts: setOf('dass weil welche welcher welches denen dessen deren als bzw beziehungsweise oder sondern sowie damit wodurch'),
  badEnds: setOf(
    'der die das den dem des ein eine einen einem einer und oder aber dass weil wenn ob als wie zu im am vom zum zur beim von für mit bei aus nach über unter in auf ist sind war mein dein sein ihr unser sehr ich wir so also'
  ),
  verbs: setOf(''),
  nounLeads: setOf(
    'der die das den dem des ein eine einen einem einer eines kein keine unser unsere unseren mein meine dein ihre seine diese dieser diesen jede jeder vom zum zur im am beim'
  ),
  verbLeads: setOf('ich wir du er sie es man ihr zu'),
  telling:
    /\b(?:wichtig\w*|weil|Problem|Ziel|Lösung|müssen|sollten|brauchen|Vorschlag|schlage vor|Ergebnis\w*|zeigt|Kosten|Budget|Termin|Risiko|deshalb|statt|empfehl\w*|Prozent|Millionen|Plan)\b|[%€$£]|\b\d{2,}\b/i,
  empty:
    /^(?:danke|vielen dank|hallo|guten|tschüss|entschuldigung)\b|\b(?:hört ihr mich|keine ahnung|weiß ich nicht|wie gesagt|auf wiedersehen)\b/i,
  decided:
    /\b(?:(?:wir|ich) (?:haben?) (?:uns )?(?:\S+ ){0,6}?(?:entschieden|beschlossen|geeinigt|vereinbart)|wir (?:nehmen|machen es so|bleiben bei|einigen uns|verschieben|entscheiden uns|beschließen)|beschlossen|vereinbart ist|die entscheidung ist)\b/i,
  hypothetical: /\b(?:wenn|falls|ob|vielleicht|könnten?|würden?|sollten wir|noch nicht|nicht entschieden|bevor)\b|\?$/i,
  open: /\b(?:(?:offene|die|große) frage (?:ist|bleibt)|noch (?:nicht )?(?:klären|geklärt|offen|unklar)|ist (?:noch )?(?:unklar|offen|nicht klar)|wir wissen (?:noch )?nicht|müssen (?:wir )?noch (?:klären|entscheiden|überlegen|herausfinden)|weiß ich (?:noch )?nicht)\b/i,
  socialQuestion:
    /\b(?:hört (?:ihr|man) mich|wie geht|noch fragen|alles klar|verstanden|oder\?|wollen wir anfangen|bist du da|sind (?:alle|wir) (?:da|fertig)|kannst du|können sie|könntest du|könnten sie)\b/i,
  words: {
    overview: 'Überblick',
    keyPoints: 'Kernpunkte',
    decisions: 'Entscheidungen',
    openQuestions: 'Offene Fragen',
    nextSteps: 'Nächste Schritte',
    and: 'und',
    by: 'bis',
    others: count => `${count} weitere`,
    participants: (names, alone) => (alone ? `Es sprach ${names}.` : `Teilgenommen haben ${names}.`),
    topics: list => `Hauptthemen: ${list}.`,
    partial: 'Nur der erste Teil des Gesprächs ist zusammengefasst.'
  }
}
