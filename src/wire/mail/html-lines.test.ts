/** Tests HTML as mail programs write it, with their marks for quotations and signatures. */
import { describe, expect, test } from 'vitest';
import { answerHeader, htmlMail, mailOf } from '../../../test/harness/raw-mail.ts';

describe('pages', () => {
  test.each([
    [
      'Gmail',
      '<div dir="ltr">Jeg kommer.<div><br></div><div>Kari</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, Jun 3, 2024 at 10:00 AM Ola &lt;<a href="mailto:ola@care.example">ola@care.example</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px"><div dir="ltr">Who comes?</div></blockquote></div>',
      'Jeg kommer.\n\nKari',
      ['quotation'],
    ],
    [
      'Gmail, with its signature',
      '<div dir="ltr">Yes.<br clear="all"><div><br></div><span class="gmail_signature_prefix">-- </span><br><div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature">Kari<br>Care AS</div></div>',
      'Yes.',
      ['signature'],
    ],
    [
      'Gmail, answers between',
      '<div class="gmail_quote"><div class="gmail_attr">On 3 Jun 2024 Ola wrote:<br></div><blockquote class="gmail_quote">One?</blockquote><div>First.</div><blockquote class="gmail_quote">Two?</blockquote><div>Second.</div></div>',
      'First.\nSecond.',
      ['quotation'],
    ],
    [
      'Gmail, passed on',
      '<div dir="ltr">FYI<br><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">---------- Forwarded message ---------<br>From: <b>Ola</b> &lt;ola@care.example&gt;<br>Subject: Shift<br></div><br>Who comes?</div></div>',
      'FYI',
      ['forward'],
    ],
    [
      'Apple Mail',
      '<html><body style="overflow-wrap: break-word;">Yes.<div><br><blockquote type="cite"><div>On 3 Jun 2024, at 10:00, Ola &lt;ola@care.example&gt; wrote:</div><br class="Apple-interchange-newline"><div>Who comes?</div></blockquote></div><br></body></html>',
      'Yes.',
      ['quotation'],
    ],
    [
      'iPhone',
      '<html><body dir="auto">Yes.<br><br><div dir="ltr">Sent from my iPhone</div><div dir="ltr"><br><blockquote type="cite">On 3 Jun 2024, at 10:00, Ola wrote:<br><br></blockquote></div><blockquote type="cite"><div dir="ltr">Who comes?</div></blockquote></body></html>',
      'Yes.',
      ['quotation', 'mobile signature'],
    ],
    [
      'Thunderbird, below',
      '<div class="moz-cite-prefix">On 03/06/2024 10:00, Ola wrote:<br></div><blockquote type="cite" cite="mid:1@care.example"><p>Who comes?</p></blockquote><p>Me.</p><div class="moz-signature">-- <br>Kari</div>',
      'Me.',
      ['quotation', 'signature'],
    ],
    [
      'Outlook on the web',
      '<html><head><style>p {margin-top:0}</style></head><body dir="ltr"><div class="elementToProof">Yes.</div><div class="elementToProof"><br></div><div id="Signature"><p>Kari</p></div><div id="appendonsend"></div><hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr"><b>From:</b> Ola<br><b>Sent:</b> Monday<br><b>To:</b> Kari<br><b>Subject:</b> Shift</div><div>Who comes?</div></body></html>',
      'Yes.',
      ['history', 'signature'],
    ],
    [
      'Outlook',
      '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 9]><xml>x</xml><![endif]--><title>t</title></head><body><div class=WordSection1><p class=MsoNormal>Yes.<o:p></o:p></p><p class=MsoNormal>Both of us.<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class=MsoNormal><b>Från:</b> Ola &lt;ola@care.example&gt; <br><b>Skickat:</b> den 3 juni 2024 10:00<br><b>Till:</b> Kari<br><b>Ämne:</b> Pass<o:p></o:p></p></div><p class=MsoNormal>Who comes?</p></div></body></html>',
      'Yes.\nBoth of us.',
      ['history'],
    ],
    [
      'Outlook for phones',
      '<div dir="auto">Yes.</div><div id="ms-outlook-mobile-signature">Get <a href="https://aka.ms/o0ukef">Outlook for iOS</a></div><hr><div id="mail-editor-reference-message-container"><div>From: Ola</div><div>Who comes?</div></div>',
      'Yes.',
      ['history', 'signature'],
    ],
    [
      'Yahoo',
      '<div class="ydp1yahoo-style-wrap"><div>Yes.</div></div><div id="ydp2yahoo_quoted_1" class="ydp2yahoo_quoted"><div>On Monday, Ola wrote:</div><div>Who comes?</div></div>',
      'Yes.',
      ['history'],
    ],
    [
      'Thunderbird, passed on',
      '<p>FYI</p><div class="moz-forward-container"><br>-------- Forwarded Message --------<table><tr><th>Subject: </th><td>Shift</td></tr></table><p>Who comes?</p></div>',
      'FYI',
      ['forward'],
    ],
    [
      'an answer below a quotation that has an older one',
      '<blockquote type="cite"><p>No.</p><p>-----Original Message-----</p><p>From: Ola</p></blockquote><p>Yes.</p>',
      'Yes.',
      ['quotation'],
    ],
    ['a hidden paragraph and a rule', 'a<p hidden>b</p><span>c<hr>d</span>', 'a\n\nc\nd', []],
    [
      'what the sender quotes himself',
      '<p>As it says:</p><blockquote>Who comes?</blockquote><p>Me.</p>',
      'As it says:\n\nWho comes?\n\nMe.',
      [],
    ],
    [
      'lists, tables, links, pictures, hidden text',
      '<div style="display:none">Preheader</div><h1>Shifts</h1><ul><li>Mon</li><li>Tue</li></ul><table><tr><td>Kari</td><td>10:00</td></tr></table><a href="https://care.example/x?a=1&amp;b=2">Answer here</a> <a href="https://care.example/">care.example</a> <img alt="😀"><img alt="logo"><script>x()</script><pre>a  b\nc</pre>',
      'Shifts\n\n- Mon\n- Tue\nKari 10:00\nAnswer here (https://care.example/x?a=1&b=2) care.example 😀\na  b\nc',
      [],
    ],
    ['white space', '<p>a\n  b&nbsp;c</p>\n<p>d<br>e</p>f', 'a b c\n\nd\ne\n\nf', []],
    ['an unfinished page', '<div><b>a<div>b <a href="', 'a\nb', []],
  ])('[MAIL-4] The sender’s own text is read from an HTML e-mail: %s', async (_name, html, text, cut) => {
    expect(mailOf(htmlMail(html, answerHeader)).text).toMatchObject({ text, cut });
  });
});
