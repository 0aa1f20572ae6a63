/** Tests replies, forwards and signatures as mail programs write them, in the languages that they use. */
import { describe, expect, test } from 'vitest';
import { answerHeader, mailOf, plainMail } from '../../../test/harness/raw-mail.ts';

async function textOf(octets: Buffer) {
  const { text } = mailOf(octets);
  return text;
}

const quoted = '> Hvem kommer i kveld?\n> Vi mangler to.';

describe('lines above a quotation', () => {
  test.each([
    ['Gmail, English', 'On Mon, Jun 3, 2024 at 10:00 AM Ola Nordmann <ola@care.example> wrote:'],
    ['Gmail, English, broken', 'On Mon, Jun 3, 2024 at 10:00 AM Ola Nordmann <\nola@care.example> wrote:'],
    ['Gmail, Swedish', 'Den mån 3 juni 2024 kl 10:00 skrev Ola Nordmann <ola@care.example>:'],
    ['Gmail, Norwegian', 'man. 3. juni 2024 kl. 10:00 skrev Ola Nordmann <ola@care.example>:'],
    ['Gmail, Danish', 'Den man. 3. jun. 2024 kl. 10.00 skrev Ola Nordmann <\nola@care.example>:'],
    ['Gmail, Finnish', 'ma 3. kesäk. 2024 klo 10.00 Ola Nordmann (ola@care.example) kirjoitti:'],
    ['Gmail, German', 'Am Mo., 3. Juni 2024 um 10:00 Uhr schrieb Ola Nordmann <ola@care.example>:'],
    ['Gmail, French', 'Le lun. 3 juin 2024 à 10:00, Ola Nordmann <ola@care.example> a écrit :'],
    ['Gmail, Spanish', 'El lun, 3 jun 2024 a las 10:00, Ola Nordmann (<ola@care.example>) escribió:'],
    [
      'Gmail, Italian',
      'Il giorno lun 3 giu 2024 alle ore 10:00 Ola Nordmann <\nola@care.example> ha scritto:',
    ],
    ['Gmail, Dutch', 'Op ma 3 jun 2024 om 10:00 schreef Ola Nordmann <ola@care.example>:'],
    ['Gmail, Polish', 'pon., 3 cze 2024 o 10:00 Ola Nordmann <ola@care.example> napisał(a):'],
    ['Gmail, Portuguese', 'Em seg., 3 de jun. de 2024 às 10:00, Ola Nordmann <ola@care.example> escreveu:'],
    ['Gmail, Czech', 'po 3. 6. 2024 v 10:00 odesílatel Ola Nordmann <ola@care.example> napsal:'],
    ['Gmail, Hungarian', 'Ola Nordmann <ola@care.example> ezt írta (időpont: 2024. jún. 3., H, 10:00):'],
    ['Gmail, Romanian', 'În lun., 3 iun. 2024 la 10:00, Ola Nordmann <ola@care.example> a scris:'],
    ['Gmail, Russian, without a word', 'пн, 3 июн. 2024 г. в 10:00, Ola Nordmann <ola@care.example>:'],
    ['Gmail, Turkish', 'Ola Nordmann <ola@care.example>, 3 Haz 2024 Pzt, 10:00 tarihinde şunu yazdı:'],
    ['Gmail, Chinese', 'Ola Nordmann <ola@care.example> 于2024年6月3日周一 10:00写道：'],
    ['Gmail, Japanese', '2024年6月3日(月) 10:00 Ola Nordmann <ola@care.example>:'],
    ['Gmail, Greek', 'Στις Δευ 3 Ιουν 2024 στις 10:00, ο χρήστης Ola (<ola@care.example>) έγραψε:'],
    ['Apple Mail, English', 'On 3 Jun 2024, at 10:00, Ola Nordmann <ola@care.example> wrote:'],
    ['Apple Mail, Swedish', '3 juni 2024 kl. 10:00 skrev Ola Nordmann <ola@care.example>:'],
    ['Apple Mail, Norwegian', '3. juni 2024 kl. 10:00 skrev Ola Nordmann <ola@care.example>:'],
    ['Apple Mail, Finnish', 'Ola Nordmann <ola@care.example> kirjoitti 3.6.2024 kello 10.00:'],
    ['Apple Mail, Finnish, broken', 'Ola Nordmann <\nola@care.example> kirjoitti 3.6.2024 kello 10.00:'],
    ['Apple Mail, German', 'Am 03.06.2024 um 10:00 schrieb Ola Nordmann <ola@care.example>:'],
    ['Apple Mail, French', 'Le 3 juin 2024 à 10:00, Ola Nordmann <ola@care.example> a écrit :'],
    [
      'Apple Mail, Dutch',
      'Op 3 jun. 2024, om 10:00 heeft Ola Nordmann <ola@care.example> het\nvolgende geschreven:',
    ],
    ['Thunderbird, English', 'On 03/06/2024 10:00, Ola Nordmann wrote:'],
    ['Thunderbird, Swedish', 'Den 2024-06-03 kl. 10:00, skrev Ola Nordmann:'],
    ['Thunderbird, Danish', 'Den 03.06.2024 kl. 10.00 skrev Ola Nordmann:'],
    ['Thunderbird, German', 'Am 03.06.24 um 10:00 schrieb Ola Nordmann:'],
    ['Thunderbird, Polish', 'W dniu 3.06.2024 o 10:00, Ola Nordmann pisze:'],
    ['Thunderbird, Finnish', 'Ola Nordmann kirjoitti 3.6.2024 klo 10.00:'],
    ['Thunderbird, Italian', 'Il 03/06/2024 10:00, Ola Nordmann ha scritto:'],
    [
      'Gmail, broken within the address',
      'man. 3. juni 2024 kl. 10:00 skrev Ola Nordmann <ola@care.example\n>:',
    ],
    ['a phone, in three lines', 'On Jun 3, 2024,\nat 10:00,\nOla Nordmann <ola@care.example> wrote:'],
    ['Usenet', 'Ola Nordmann wrote:'],
  ])('[MAIL-4] What a mail program adds to an answer is cut: %s', async (_name, line) => {
    expect(await textOf(plainMail(`Jeg kommer.\n\n${line}\n\n${quoted}\n`))).toMatchObject({
      text: 'Jeg kommer.',
      cut: ['quotation'],
    });
    // Found even without an empty line before it, and with a reply below the quotation.
    expect((await textOf(plainMail(`Jeg kommer.\n${line}\n${quoted}\n\nOg Per.\n`))).text).toMatch(
      /^Jeg kommer\.\n\n?Og Per\.$/,
    );
  });

  test.each([
    'On Mon, Jun 3, 2024 at 10:00 AM Ola Nordmann <ola@care.example> wrote:',
    'Den mån 3 juni 2024 kl 10:00 skrev Ola Nordmann <ola@care.example>:',
    'Am 03.06.24 um 10:00 schrieb Ola Nordmann:',
    'Le 3 juin 2024 à 10:00, Ola Nordmann <ola@care.example> a écrit :',
    'пн, 3 июн. 2024 г. в 10:00, Ola Nordmann <ola@care.example>:',
    '2024-06-03 10:00 GMT+02:00 Ola Nordmann <ola@care.example>:',
    '10:00 AM, June 3, 2024, "Ola - Care" <ola@care.example>:',
    'On Mon, 3 Jun 2024 10:00:00 +0200 Ola Nordmann <ola@care.example> wrote',
    '---- On Mon, 03 Jun 2024 10:00:00 +0200 ola@care.example wrote ----',
  ])(
    '[MAIL-4] Text without quotation marks is cut below a line that certainly introduces a quotation: %s',
    async (line) => {
      expect(
        await textOf(plainMail(`Yes.\n\n${line}\n\nWho comes?\nWe lack two.`, answerHeader)),
      ).toMatchObject({
        text: 'Yes.',
        cut: ['history'],
      });
    },
  );

  test.each([
    'At 10:00 Kari wrote:\nThe door is open.',
    'This is what Kari wrote\nThe door is open.',
    'Call 2024: 10:00\nor <kari@care.example>',
    '2024-06-03 10:00\n2024-06-04 11:00:',
    'I agree with this:\nThe door is open.',
    'Bring:\n- gloves\n- boots',
    'Kari wrote: the door is open.',
    'From: Oslo\nTo: Bergen\nDate: 3 June 2024',
    'Sent from the warehouse at noon.',
    'Sent via email to all units at 9',
    'Pump 3\n--\nStopped',
    'Pump 3\n\n—\nStopped at noon\nStarted at one',
    'Sent from my mobile to kari@care.example on 2024-06-03',
    'Die Mail wurde gesendet.',
    'Die Mail an Herrn Meier haben wir gesendet',
    'Call me -- it is urgent --',
    '5 > 3 and 2 < 4',
    'On Monday\nwe write: no.',
    '--- Lunch ---\nSoup',
    '-5 degrees tonight',
    `Shifts\n--\n${'Kari 10:00\n'.repeat(13).trim()}`,
  ])('[MAIL-4] Lines that a person may have meant to write stay in an e-mail: %j', async (text) => {
    expect(await textOf(plainMail(text, answerHeader))).toMatchObject({ text, cut: [] });
  });

  test('[MAIL-4] A line above a quotation that does not introduce it stays', async () => {
    expect((await textOf(plainMail(`I agree with this:\n${quoted}\nBut not today.`))).text).toBe(
      'I agree with this:\nBut not today.',
    );
  });

  test('[MAIL-4] If two lines might introduce a quotation, only the nearer counts as its introduction', async () => {
    const mail = `Kari wrote:\nOn 3 Jun 2024 Ola <ola@care.example> wrote:\n${quoted}`;
    expect((await textOf(plainMail(mail))).text).toBe('Kari wrote:');
  });

  test('[MAIL-4] Answers between quotations stay in an e-mail, in their order', async () => {
    const mail = '> One?\n\nFirst.\n\n> Two?\n\nSecond.\n';
    expect((await textOf(plainMail(mail))).text).toBe('First.\n\nSecond.');
  });
});

describe('an earlier e-mail that is copied below', () => {
  test.each([
    [
      'English',
      'From: Ola Nordmann <ola@care.example>\nSent: Monday, June 3, 2024 10:00\nTo: Kari\nSubject: Shift',
    ],
    [
      'Swedish',
      'Från: Ola Nordmann <ola@care.example>\nSkickat: den 3 juni 2024 10:00\nTill: Kari\nÄmne: Pass',
    ],
    [
      'Norwegian',
      'Fra: Ola Nordmann <ola@care.example>\nSendt: mandag 3. juni 2024 10:00\nTil: Kari\nEmne: Vakt',
    ],
    ['Danish', 'Fra: Ola Nordmann\nSendt: 3. juni 2024 10:00\nTil: Kari\nCc: Per\nEmne: Vagt'],
    [
      'Finnish',
      'Lähettäjä: Ola Nordmann\nLähetetty: maanantai 3. kesäkuuta 2024 10.00\nVastaanottaja: Kari\nAihe: Vuoro',
    ],
    [
      'German',
      'Von: Ola Nordmann <ola@care.example>\nGesendet: Montag, 3. Juni 2024 10:00\nAn: Kari\nBetreff: Schicht',
    ],
    [
      'French',
      'De : Ola Nordmann <ola@care.example>\nEnvoyé : lundi 3 juin 2024 10:00\nÀ : Kari\nObjet : Service',
    ],
    ['Spanish', 'De: Ola Nordmann\nEnviado el: lunes, 3 de junio de 2024 10:00\nPara: Kari\nAsunto: Turno'],
    ['Italian', 'Da: Ola Nordmann\nInviato: lunedì 3 giugno 2024 10:00\nA: Kari\nOggetto: Turno'],
    ['Dutch', 'Van: Ola Nordmann\nVerzonden: maandag 3 juni 2024 10:00\nAan: Kari\nOnderwerp: Dienst'],
    ['Polish', 'Od: Ola Nordmann\nWysłano: poniedziałek, 3 czerwca 2024 10:00\nDo: Kari\nTemat: Zmiana'],
    ['Portuguese', 'De: Ola Nordmann\nEnviado: 3 de junho de 2024 10:00\nPara: Kari\nAssunto: Turno'],
    ['Czech', 'Od: Ola Nordmann\nOdesláno: pondělí 3. června 2024 10:00\nKomu: Kari\nPředmět: Směna'],
    ['Russian', 'От: Ola Nordmann\nОтправлено: 3 июня 2024 г. 10:00\nКому: Kari\nТема: Смена'],
    [
      'in bold',
      '*From:* Ola Nordmann <ola@care.example>\n*Sent:* Monday, June 3, 2024\n*To:* Kari\n*Subject:* Shift',
    ],
  ])('[MAIL-4] An earlier e-mail that Outlook copies below an answer is cut: %s', async (_name, header) => {
    for (const rule of ['', '________________________________\n', '-----Original Message-----\n'])
      expect(
        await textOf(plainMail(`I am coming.\n\n${rule}${header}\n\nWho comes?\n`, answerHeader)),
      ).toMatchObject({
        text: 'I am coming.',
        cut: ['history'],
      });
  });

  test.each([
    '-----Original Message-----',
    '----- Original Message -----',
    '-----Ursprungligt meddelande-----',
    '-----Opprinnelig melding-----',
    '-----Oprindelig meddelelse-----',
    '-----Alkuperäinen viesti-----',
    '-----Ursprüngliche Nachricht-----',
    '-----Message d’origine-----',
    '-----Mensaje original-----',
    '-----Messaggio originale-----',
    '-----Oorspronkelijk bericht-----',
    '-----Wiadomość oryginalna-----',
    '-----Mensagem original-----',
    '-----Původní zpráva-----',
    '-----Исходное сообщение-----',
  ])('[MAIL-4] An earlier e-mail below this line is cut: %s', async (line) => {
    expect(await textOf(plainMail(`Yes.\n\n${line}\nOla Nordmann\n\nWho comes?`))).toMatchObject({
      text: 'Yes.',
      cut: ['history'],
    });
  });

  test.each([
    '---------- Forwarded message ---------\nFrom: Ola <ola@care.example>',
    '-------- Forwarded Message --------\nSubject: Shift',
    '---------- Vidarebefordrat meddelande ---------\nFrån: Ola',
    '---------- Videresendt melding ---------\nFra: Ola',
    '-------- Weitergeleitete Nachricht --------\nBetreff: Schicht',
    '-------- Message transféré --------\nSujet : Service',
    'Begin forwarded message:\n\nFrom: Ola',
    'Anfang der weitergeleiteten Nachricht:\n\nVon: Ola',
  ])('[MAIL-4] An e-mail that is passed on is cut and recognised as a forward: %j', async (forward) => {
    expect(await textOf(plainMail(`FYI\n\n${forward}\n\nWho comes?`))).toMatchObject({
      text: 'FYI',
      cut: ['forward'],
    });
    expect(await textOf(plainMail(`${forward}\n\nWho comes?`))).toEqual({
      text: '',
      cut: ['forward'],
      whyEmpty: 'contains only a forwarded e-mail',
    });
  });
});

describe('signatures', () => {
  test.each([
    ['with its space', 'Yes.\n-- \nKari\nCare AS', 'Yes.'],
    ['without its space', 'Yes.\n--\nKari', 'Yes.'],
    ['without its space, by an address', 'Yes.\n--\nWard 7\nward7@care.example', 'Yes.'],
    ['with a no-break space', 'Yes.\n--\u00a0\nKari', 'Yes.'],
    ['of which a dash was made', 'Yes.\n—\nKari', 'Yes.'],
    ['above a quotation', `Yes.\n\n-- \nKari\n\nOn 3 Jun 2024 Ola wrote:\n${quoted}`, 'Yes.'],
    ['below a quotation', `On 3 Jun 2024 Ola wrote:\n${quoted}\n\nYes.\n-- \nKari`, 'Yes.'],
    ['not the first line of hyphens', 'One\n--\nTwo\n-- \nKari', 'One\n--\nTwo'],
  ])('[MAIL-4] The delimiter %s begins a signature, which is cut', async (_name, mail, text) => {
    expect(await textOf(plainMail(mail))).toMatchObject({ text, cut: expect.arrayContaining(['signature']) });
  });

  test.each([
    'Sent from my iPhone',
    'Sent from my Samsung Galaxy smartphone.',
    'Sent from Outlook for Android<https://aka.ms/AAb9ysg>',
    'Get Outlook for iOS<https://aka.ms/o0ukef>',
    'Sent from Mail for Windows 10',
    'Skickat från min iPhone',
    'Skickat från Outlook för iOS<https://aka.ms/o0ukef>',
    'Hämta Outlook för Android',
    'Sendt fra min iPhone',
    'Skaff deg Outlook for iOS',
    'Hent Outlook til Android',
    'Lähetetty iPhonesta',
    'Hanki Outlook iOS:lle',
    'Von meinem iPhone gesendet',
    'Gesendet von Outlook für iOS',
    'Diese Nachricht wurde von meinem Android Mobiltelefon mit GMX Mail gesendet.',
    'Envoyé de mon iPhone',
    'Envoyé à partir de Outlook pour Android',
    'Télécharger Outlook pour iOS',
    'Enviado desde mi iPhone',
    'Obtener Outlook para Android',
    'Inviato da iPhone',
    'Ottieni Outlook per iOS',
    'Verstuurd vanaf mijn iPhone',
    'Verzonden vanaf Outlook voor iOS',
    'Wysłane z iPhone’a',
    'Pobierz aplikację Outlook dla systemu iOS',
    'Enviado do meu iPhone',
    'Odesláno z iPhonu',
    'Отправлено с iPhone',
    'iPhoneから送信',
    '发自我的 iPhone',
    '나의 iPhone에서 보냄',
  ])('[MAIL-4] The line that a phone adds to an e-mail is cut: %s', async (line) => {
    expect(await textOf(plainMail(`Yes.\n\n${line}\n`))).toMatchObject({
      text: 'Yes.',
      cut: ['mobile signature'],
    });
    expect((await textOf(plainMail(`Yes.\n\n${line}\n\nOla Nordmann wrote:\n${quoted}`))).text).toBe('Yes.');
    expect(await textOf(plainMail(`${line}\n`))).toMatchObject({
      text: '',
      whyEmpty: 'contains only a signature',
    });
  });
});
