// Ghost's importer (@tryghost/members-importer), with members kept by statements of ours in PostgreSQL: Ghost's
// own models, which the package leaves to its caller, would add to it.
const fs = require('fs'), os = require('os'), path = require('path');
const Importer = require('@tryghost/members-importer');
const knex = require('knex')({client: 'pg', connection: {host: process.argv[3], user: 'bench', database: 'postgres'}});

const labelled = (labels) => ({related: () => ({toJSON: () => labels})});

const members = {
    async get({email}, {transacting}) {
        const row = await knex('members').transacting(transacting).where({email}).first();
        return row ? {...row, ...labelled([])} : null;
    },
    async create(row, {transacting}) {
        const [{id}] = await knex('members').transacting(transacting)
            .insert({email: row.email, name: row.name, note: row.note}).returning('id');
        for (const label of row.labels || []) {
            const [{id: labelId}] = await knex('labels').transacting(transacting)
                .insert({name: label.name}).onConflict('name').merge().returning('id');
            await knex('members_labels').transacting(transacting).insert({member_id: id, label_id: labelId});
        }
        return {id};
    },
    async update(row, {id}) {
        return {id};
    }
};

async function main(rows) {
    await knex.schema.createTable('members', (table) => {
        table.increments(); table.string('email').unique(); table.string('name'); table.text('note');
    });
    await knex.schema.createTable('labels', (table) => { table.increments(); table.string('name').unique(); });
    await knex.schema.createTable('members_labels', (table) => {
        table.integer('member_id').index(); table.integer('label_id').index();
    });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ghost'));
    const lines = ['email,name,note,labels'];
    for (let n = 0; n < rows; n += 1) {
        const scattered = (BigInt(n) * 0x9E3779B97F4A7C15n % 2n ** 52n).toString(16);
        lines.push(`p${scattered}@example${n % 500}.com,Ann Lee,pro,"tag${n % 20},tag${(n + 1) % 20}"`);
    }
    fs.writeFileSync(path.join(folder, 'people.csv'), lines.join('\n'));
    const importer = new Importer({
        storagePath: folder, getTimezone: () => 'UTC', getMembersApi: () => ({
            members, productRepository: {list: async () => ({data: []})}
        }), sendEmail: () => {}, isSet: () => false, addJob: () => {}, knex, urlFor: () => '', context: {}
    });
    const before = process.cpuUsage();
    const job = await importer.prepare(path.join(folder, 'people.csv'), {email: 'email', name: 'name', note: 'note', labels: 'labels'}, []);
    const done = await importer.perform(job.id);
    const {user, system} = process.cpuUsage(before);
    if (done.imported !== rows) {
        throw new Error(JSON.stringify(done.errors[0]));
    }
    console.log(JSON.stringify({cpu: (user + system) / 1e6, version: require('@tryghost/members-importer/package.json').version}));
    fs.rmSync(folder, {recursive: true});
    await knex.destroy();
}

main(Number(process.argv[2])).catch((error) => { console.error(error); process.exit(1); });
