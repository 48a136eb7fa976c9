import { type Lexicon, setOf } from './lexicon.ts'

export const FRENCH: Lexicon = {
  code: 'fr',
  stop: setOf(`
à ai ainsi alors après as assez au aucun aussi autre autres aux avait avant avec avez avoir avons beaucoup bien c'est ça car ce cela celle celui ces cet cette ceux chaque chez comme comment d'accord dans de
des dès depuis deux dire dit doit donc dont du elle elles en encore entre es est et étaient était été être eu eux fait faire faut font ici il ils j'ai j'avais je jusque l'on la là le les leur leurs lui
ma mais me même mes moi moins mon n'a n'est ne ni non nos notre nous on ont ou où oui par parce pas pendant peu peut peux plus plutôt pour pourquoi pourrait pouvez puis qu'il qu'on quand que quel quelle quelque
quelques qui quoi sa sans se sera ses si son sommes sont sous suis sur ta te tes toi ton toujours tous tout toute toutes très trop tu un une va vais vers veut veux voilà vont vos votre vous vraiment y`),
  light: setOf(`
chose choses question questions point problème exemple partie moment fois temps jour jours semaine mois année ans heure heures gens truc trucs façon manière merci bonjour bonne bon bonnes petit petite grand grande nouveau nouvelle
aujourd'hui demain hier peut-être maintenant juste aller allez voir vois vu savoir sait sais penser pense crois croire trouver trouve donner mettre prendre parler parle besoin idée effet coup cas accord premier première dernière
prochaine prochain important monsieur madame trois quatre cinq devons devrait allons faudrait faudra aimerais voudrais envoie envoyer`),
  fillers: setOf('euh heu hum hmm mm ben bah hein bof pff'),
  tidy: [
    [/\b(?:tu vois|vous voyez|tu sais|vous savez|enfin bref|en fait|du coup)\s*,?\s*/gi, ''],
    [/,\s*(?:quoi|hein|non|voilà|n['’]est-ce pas|d['’]accord)\s*(?=[.?!]?$)/i, '']
  ],
  openers:
    /^(?:(?:et|mais|donc|alors|bon|ben|bah|oui|non|ouais|voilà|ok|okay|d['’]accord|bien|eh bien|enfin|ah|oh|très bien|merci|bonjour|bonsoir|exactement|tout à fait|effectivement|c['’]est vrai|en fait|du coup|bien sûr)\s*[,.]\s*|(?:et|mais|donc|alors) )/iu,
  badStarts: setOf('que dont parce lequel laquelle lesquels ou ni car où'),
  badEnds: setOf(
    'le la les un une des de du et ou mais que qui dans pour avec sur sous par chez à au aux en ce cette ces mon ma mes son sa ses notre nos votre vos leur leurs est sont si comme très je nous on il parce donc'
  ),
  verbs: setOf(''),
  nounLeads: setOf(
    'le la les un une des du au aux ce cet cette ces mon ma mes ton ta son sa ses notre nos votre vos leur leurs de chaque quel quelle'
  ),
  verbLeads: setOf('je tu il elle on nous vous ils elles ne se me te à'),
  telling:
    /(?:\b(?:important\w*|parce que|problème|objectif|solution|il faut|devons|devrait|besoin|propos\w*|résultats?|montre|coûts?|budget|délai|risque|plutôt|recommand\w*|pour cent|millions?|plan)\b|[%€$£]|\b\d{2,}\b)/i,
  empty:
    /^(?:merci|bonjour|bonsoir|au revoir|pardon|désolée?)(?=[\s,.]|$)|(?:vous m['’]entendez|tu m['’]entends|je ne sais pas|comme je disais)/i,
  decided:
    /(?:(?:nous|on) (?:avons|a) (?:donc )?(?:décidé|convenu|choisi)|c['’]est décidé|la décision est|on (?:garde|part sur|va garder|retient)|nous (?:gardons|retenons|partons sur)|il (?:a été|est) (?:décidé|convenu))/i,
  hypothetical: /\b(?:si|peut-être|pourrait|pourrions|devrait-on|pas encore|avant de)\b|\?$/i,
  open: /(?:la question (?:est|reste)|reste à (?:décider|définir|voir|savoir)|(?:on|nous) ne (?:sait|savons) pas (?:encore|si)|n['’]est pas (?:encore )?clair|je ne sais pas (?:encore|si)|il faut encore (?:décider|définir|voir))/i,
  socialQuestion:
    /(?:m['’]entend|ça va|des questions|d['’]accord \?|on commence|vous êtes là|pouvez-vous|peux-tu|pourriez-vous|pourrais-tu|est-ce que tu peux|n['’]est-ce pas)/i,
  words: {
    overview: 'Aperçu',
    keyPoints: 'Points clés',
    decisions: 'Décisions',
    openQuestions: 'Questions ouvertes',
    nextSteps: 'Prochaines étapes',
    and: 'et',
    by: 'avant le',
    others: count => `${count} autres`,
    participants: (names, alone) => (alone ? `Intervenant : ${names}.` : `Participants : ${names}.`),
    topics: list => `Thèmes principaux : ${list}.`,
    partial: 'Seule la première partie de la conversation est résumée.'
  }
}
