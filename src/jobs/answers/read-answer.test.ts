import { describe, expect, test } from 'vitest';
import { type Answer, readAnswer } from './read-answer.ts';
import { answerWords, type Language, languages } from './words.ts';

const meaning = (text: string, language: Language, digits = false) =>
  readAnswer(text, answerWords({ language, digits })).meaning;

/** What people write, by language; `?` alone is a question, and what is no YES or NO a comment. */
const corpus = {
  en: {
    yes: [
      'YES | Yes | yes | yes pls | Yes! | YES!!! | yes. |  yes  | Yes, but not before 8 | "YES" | yess',
      'yesss | Yep | yeah sure | Yup | Y | ok | OK | Ok! | Okay | ok I will come | Sure | sure thing',
      '👍 | 👍👍 | 👍🏽 | 👍 on my way | yes 👎 | 😀 yes | ＹＥＳ | yes no problem | Absolutely | coming | *yes*',
      '(yes) | - yes',
    ],
    no: [
      'NO | No | no | no sorry | No, I am in Spain | no. | NO! | nope | Nope, sorry | nah | 👎 | 👎🏾 | N',
      "noo | can't | Can't make it | Can’t tonight | cannot | sorry, no | Sorry | STOP | stop | no way",
      'Absolutely not | certainly not! | Sure, not',
    ],
    query: ['? | ?? |  ?  | ❓ | ？ | ?!'],
    comment: [
      'no problem | No problem, I will be there | no worries | Who is asking? | What time? | maybe',
      'Maybe yes | I can come at 9 | I am ill | Automatic reply: I am out of office',
      'No-reply: this mailbox is not read | noreply | yesterday | Norway | yes or no? | 1 | 2 | ...',
      '😀 | call me | north entrance | Thanks | wrong number | Do I get paid? | yesno',
      'Out of office until Monday. Yes, really.',
    ],
  },
  sv: {
    yes: [
      'JA | Ja | ja | JA! | Ja tack | Ja tack men först kl 8 | ja absolut | Japp | jaa | jaaaa',
      'Jajamen | jepp | Jo | jodå | Absolut | visst | Visst kan jag det | Gärna! | ok | Okej',
      'ja, jag kommer | ja😀 | 👍 | Ja det går bra | yes | ja/Anna',
    ],
    no: [
      'Absolut inte | visst inte',
      'NEJ | Nej | nej | nej tyvärr | Nej tack | nej, jag är sjuk | nä | Nää | nix | Tyvärr',
      'tyvärr kan jag inte | nej!! | NEJ. | 👎 | näpp | no',
    ],
    query: ['? | ???'],
    comment: [
      'Jag kan | kan inte | kanske | ja eller nej? | Vem är det? | Autosvar: jag är på semester',
      'Jag är på semester till den 5 | Vilken tid? | Hur många behövs? | jaga | nejlika | en kommer',
      'ring mig | ja kanske | 8 | Semester | är sjuk | hej | Jag har flyttat | fel nummer',
    ],
  },
  no: {
    yes: [
      'JA | Ja | ja takk | Ja, kommer | Jepp | japp | jada | Klart | klart det | Selvfølgelig',
      'selvfolgelig | Gjerne | absolutt | ok | OK 👍 | jo | Ja!!',
    ],
    no: [
      'Absolutt ikke',
      'NEI | Nei | nei dessverre | Nei takk | Dessverre | dessverre ikke | Beklager | neida | nei. | 👎',
      'Nei, jobber | nope',
    ],
    query: ['?'],
    comment: [
      'Kanskje | Når? | hvem er dette | ja kanskje | Jeg er syk | Fraværsmelding: tilbake mandag',
      'må sjekke | ring meg | 07 | neste uke',
    ],
  },
  da: {
    yes: [
      'JA | Ja | ja tak | Jep | jeps | Jo | Klart | klart! | Selvfølgelig | Gerne | absolut | ok',
      'Okay | ja jeg kommer | 👍 | Ja.',
    ],
    no: [
      'Absolut ikke',
      'NEJ | nej | Nej desværre | Desværre | nej tak | Næ | Beklager | nix | 👎 | Nej, er syg',
    ],
    query: ['? | ??'],
    comment: [
      'Måske | Hvornår? | Jeg er syg | Autosvar: på ferie | ja måske | hvem er det | ring lige | 9',
      'ferie',
    ],
  },
  fi: {
    yes: [
      'KYLLÄ | Kyllä | kylla | Joo | joo! | juu | jooo | Jep | ok | Tulen | tulen heti | totta kai',
      'Pääsen | toki | 👍 | Kyllä kiitos',
    ],
    no: [
      'EI | Ei | ei kiitos | ei valitettavasti | En | en pääse | Valitettavasti en | Ei! | 👎',
      'En voi tulla | emmä',
    ],
    query: ['? | ?!?'],
    comment: [
      'Ehkä | Milloin? | kuka kysyy | Olen sairas | kyllä vai ei?',
      'Automaattinen vastaus: olen lomalla | loma | eilen | 5 | soita',
    ],
  },
  de: {
    yes: [
      'JA | Ja | ja! | Ja gerne | Ja, ich komme | Jawohl | Klar | klar doch | Gerne | Natürlich',
      'naturlich | Selbstverständlich | ok | Okay | jap | Jaaa | 👍 | Ja mach ich',
    ],
    no: [
      'Natürlich nicht | klar, nicht',
      'NEIN | Nein | nein danke | Nein, leider nicht | Leider nein | leider | Nee | nö | Nein! | 👎',
      'neinnn',
    ],
    query: ['? | ？'],
    comment: [
      'Vielleicht | Wann? | Wer ist da? | Ich bin krank | ja vielleicht',
      'Abwesenheitsnotiz: ich bin im Urlaub | kein Problem | Bin im Urlaub | 3 | mal sehen',
      'neue Nummer | Jahr',
    ],
  },
} as const satisfies Record<Language, Record<Answer['meaning'], readonly string[]>>;

describe('answers', () => {
  const cases = languages.flatMap((language) =>
    Object.entries<readonly string[]>(corpus[language]).flatMap(([meant, texts]) =>
      texts.flatMap((line) => line.split(' | ').map((text) => ({ language, text, meant }))),
    ),
  );

  test('[JOB-10] the first word decides, whatever its case, diacritics, punctuation and emoji', () => {
    expect(cases.length).toBeGreaterThan(300);
    const read = cases.map(({ language, text }) => ({ language, text, meant: meaning(text, language) }));
    expect(read).toEqual(cases);
    expect(['', '   ', 'yes\nBest regards\nAnna'].map((text) => meaning(text, 'en'))).toEqual([
      ...['comment', 'comment', 'yes'],
    ]);
  });

  test('[JOB-10] digits count only where the type says so', () => {
    for (const language of languages) {
      expect(['1', '1!', '2', '0', '3', '10'].map((text) => meaning(text, language, true))).toEqual([
        ...['yes', 'yes', 'no', 'no', 'comment', 'comment'],
      ]);
      expect(['1', '2'].map((text) => meaning(text, language))).toEqual(['comment', 'comment']);
    }
  });

  test('[JOB-10] a type that lists words has no others, but for thumbs and STOP', () => {
    const words = answerWords({ language: 'sv', yes: ['Kommer'], no: ['Förhindrad'], digits: false });
    const read = (text: string) => readAnswer(text, words).meaning;
    expect(['kommer!', 'FORHINDRAD', 'ja', 'nej', '👍', '👎', 'stop'].map(read)).toEqual([
      ...['yes', 'no', 'comment', 'comment', 'yes', 'no', 'no'],
    ]);
  });

  test('[JOB-10] a text without end takes no time', () => {
    const started = process.cpuUsage();
    for (const text of ['a'.repeat(1e6), '?'.repeat(1e6), ' '.repeat(1e6), `${'jaaaa'.repeat(1e5)}`])
      meaning(text, 'sv');
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
