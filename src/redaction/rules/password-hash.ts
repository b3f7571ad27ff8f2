import { NO_SPANS, type RedactionRule } from '../rule.ts';

// Modular crypt format: bcrypt, then the others of crypt(5) and of network devices, Argon2, and those of web frameworks.
const CRYPT =
  /\$(?:2[abxy]?\$\d{2}\$[./A-Za-z0-9]{53}|(?:1|5|6|7|8|9|y|gy|apr1|md5|sha1|P|H)\$(?:rounds=\d{1,9}\$)?[./A-Za-z0-9$*]{0,80}\$[./A-Za-z0-9]{20,128}|[PH]\$[./A-Za-z0-9]{31}|(?:argon2(?:id|i|d)|pbkdf2(?:-sha\d{1,3})?|scrypt|bcrypt-sha256)\$[\w=,.$+/-]{20,256})(?![./A-Za-z0-9])/y;
const FRAMEWORK =
  /(?:pbkdf2_sha(?:1|256|512)|pbkdf2:sha\d{1,3}:\d{1,9}|bcrypt_sha256)\$[\w=,.$+/-]{20,300}={0,2}/y;
// RFC 2307: the schemes of LDAP.
const LDAP = /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT)\}[A-Za-z0-9+/$.]{20,200}={0,2}/y;
// LM and NT hashes of Windows: the first is that of the empty password in nearly all dumps.
const WINDOWS = /aad3b435b51404eeaad3b435b51404ee:[0-9a-f]{32}(?![0-9a-f])/iy;
const FORMS = [CRYPT, FRAMEWORK, LDAP, WINDOWS];

/** Hashes of passwords: whoever has one can search for the password without a limit of attempts. */
export const passwordHash: RedactionRule = {
  name: 'password-hash',
  keywords: [
    ...[
      '$1$',
      '$2a$',
      '$2b$',
      '$2x$',
      '$2y$',
      '$5$',
      '$6$',
      '$7$',
      '$8$',
      '$9$',
      '$y$',
      '$gy$',
      '$p$',
      '$h$',
    ],
    ...['$apr1$', '$argon2', '$pbkdf2', '$scrypt$', '$md5$', '$sha1$', '$bcrypt-sha256$'],
    ...['pbkdf2_sha', 'pbkdf2:sha', 'bcrypt_sha256$'],
    ...['{sha', '{ssha', '{md5}', '{smd5}', '{crypt}', 'aad3b435b51404ee'],
  ],
  find({ text, at }) {
    for (const form of FORMS) {
      form.lastIndex = at;
      if (form.test(text)) return [{ start: at, end: form.lastIndex, rule: this.name }];
    }
    return NO_SPANS;
  },
};
