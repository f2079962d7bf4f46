const { AquacultureApi } = require('./dist/credentials/AquacultureApi.credentials.js');
const { Aquaculture } = require('./dist/nodes/Aquaculture/Aquaculture.node.js');
const { AquacultureTrigger } = require('./dist/nodes/Aquaculture/AquacultureTrigger.node.js');

module.exports = { Aquaculture, AquacultureApi, AquacultureTrigger };
