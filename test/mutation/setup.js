const fc = require('fast-check');

/** Some examples are enough where a mutant breaks a property, and nobody reads the smallest one. */
fc.configureGlobal({ numRuns: 30, endOnFailure: true });
