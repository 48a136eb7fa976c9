/** Questions, each with a passage of a sample conversation that has the same meaning and no content word in common. */
export const PARAPHRASES: [query: string, passage: string][] = [
  [
    'how much money was left over at the close of the accounts',
    'We finished the year on August 31st with income of 86,400 and spending of 81,950, so a surplus of 4,450.'
  ],
  [
    'stop loaning dangerous cutting machines',
    'Could we simply not lend the chainsaws? I mean, how often do they go out?'
  ],
  [
    'popularity of goods that borrowers ask for',
    "They went out 64 times last year. It's the most requested thing after the carpet cleaner."
  ],
  ['uncertain municipal funding in the future', 'The city grant of 18,000 is confirmed for one more year only'],
  ['our rental contract is expiring', "the lease on Tanner's Row ends on February 28th, and the landlord's written."],
  [
    'the owner demands higher rent although rain comes through the ceiling',
    "So it's plus 41 percent, for a roof that leaks over the band saw."
  ],
  ['candidate with experience in the classroom', 'One is a former shop teacher, very calm, great with groups'],
  [
    'preventing accidents while equipment operates',
    "Is there a safety argument here that isn't a matter of taste? Who's responsible in the room when the machines are running?"
  ],
  [
    'visitors depend on public transit at night',
    'No transport after seven kills the repair evenings. Half the people come by bus.'
  ],
  [
    'dunning letter for an overdue bill',
    'which is that we got a late payment reminder this morning. For an invoice that we sent back.'
  ],
  [
    'a typo in the order reference',
    "On the invoice it says PO 60418. It ought to be 60481. Somebody's swapped the last two digits."
  ],
  [
    'delivery place lacks a ramp to empty a lorry',
    "But listen, there's no loading dock. We had a truck here in April that couldn't unload and just drove off with our paint."
  ],
  [
    'devices lose their wireless connection overnight',
    "says they can't stay on guest, because it kicks everything off at midnight."
  ],
  ['a faulty measurement that is too large', 'it reads about 300 higher than everything else. Even in the night'],
  ['long contract without cost increases', 'What I can do is offer a three-year term with the price fixed.'],
  ['must instruments be adjusted annually', 'The man at the trade fair said you need to recalibrate every year.'],
  [
    'have the devices installed before lessons start',
    "I want every single one on the wall before the teachers walk in, because after that I can't get a ladder into a classroom."
  ],
  [
    'cannot open the vault because colleagues are missing',
    "the token's in the safe, and the safe needs two of three people. That's Tomasz, Yusra and somebody who left in January."
  ],
  ['who may abort a deployment without asking', 'For now, anybody on call can halt a rollout, no permission needed.'],
  ['encryption credentials run out soon', 'The certificate on the device gateway expires on the 27th.'],
  [
    'layout lacks visual hierarchy and focus',
    "I see nine tiles, all the same size and all teal, and my eye doesn't know where to land."
  ],
  ['letters are hard to read outdoors in daylight', "It's too small for arm's length in bright sun."],
  [
    'users with colour blindness confuse the signals',
    'The sold-out sailings are red and the open ones are green, with the same shape.'
  ],
  ['water on the display causes accidental presses', 'Badly. Raindrops count as taps.'],
  [
    'passengers waiting in line get anxious',
    "If it says 38 and there's a queue of fifty behind you, that's a panic button."
  ],
  [
    'compacted ground suffocates plants',
    "If you stamp on it, you lose the large ones first, and then the roots can't breathe."
  ],
  ['do not tread on moist earth', "It's the single cheapest thing you can do. One footstep on wet clay"],
  [
    'microorganisms bind particles together with adhesive',
    'Bacteria make sugars to stick themselves to surfaces, fungi wrap threads around the crumbs'
  ],
  [
    'earthworms need time to mature',
    'A deep burrower takes a year and more to grow up, so if you dig every autumn, you never have any adults.'
  ],
  [
    'measure the population of creatures in a ground sample',
    'Take a cube with twenty-centimetre sides, spread it on a sheet, and count.'
  ],
  [
    'symbiosis exchanges nutrients with mushrooms',
    "The plant pays in sugar, and the fungus delivers phosphorus and water from places that the root can't reach."
  ],
  ['gardeners apply too much fertilizer by routine', 'People add bone meal every spring out of habit.'],
  [
    'forests communicate through an underground web',
    'The threads are there, and carbon does move from one tree to another'
  ],
  [
    'rotting heap gives off a bad odour',
    'Too wet and too green. People fill the bin with grass cuttings, it goes slimy, it smells of ammonia'
  ],
  [
    'how thick should a layer of humus be',
    "Less than you'd think. Two centimetres a year, on top, in autumn or early spring."
  ],
  [
    'more customers set up their device successfully than ever',
    "went from 54 to 61 percent over the last four weeks. That's the best we've had since we launched the Finch."
  ],
  [
    'users deny access rights to the application',
    'the system asks for the nearby-devices permission and people tap "don\'t allow"'
  ],
  [
    'teachers are annoyed by daily notifications',
    'The phone goes off at ten past nine in every single classroom every single morning.'
  ],
  ['few test participants connected the sensor unaided', 'three out of eight got the monitor online without help.'],
  [
    'poor ventilation while pupils sit inside',
    'Carbon dioxide goes over a thousand parts per million within, like, twenty-five minutes in an average room.'
  ]
]
