// Made by deploy/countries of tzdata 2025b, which is in the public domain, and of the facts of Meshtastic's page
// "LoRa Region by Country" as it was on 2026-11-29.

/** Time zones by the area that their names begin with: a country in small letters, then its zones. */
const zonesOfAreas = {
	"": "cn PRC cu Cuba eg Egypt gb GB GB-Eire hk Hongkong ie Eire il Israel ir Iran is Iceland jm Jamaica jp Japan kr ROK ly Libya mh Kwajalein nz NZ NZ-CHAT pl Poland pt Portugal ru W-SU sg Singapore tr Turkey tw ROC us Navajo",
	Africa: "ao Luanda bf Ouagadougou bi Bujumbura bj Porto-Novo bw Gaborone cd Kinshasa Lubumbashi cf Bangui cg Brazzaville ci Abidjan cm Douala dj Djibouti dz Algiers eg Cairo eh El_Aaiun er Asmara Asmera es Ceuta et Addis_Ababa ga Libreville gh Accra gm Banjul gn Conakry gq Malabo gw Bissau ke Nairobi lr Monrovia ls Maseru ly Tripoli ma Casablanca ml Bamako Timbuktu mr Nouakchott mw Blantyre mz Maputo na Windhoek ne Niamey ng Lagos rw Kigali sd Khartoum sl Freetown sn Dakar so Mogadishu ss Juba st Sao_Tome sz Mbabane td Ndjamena tg Lome tn Tunis tz Dar_es_Salaam ug Kampala za Johannesburg zm Lusaka zw Harare",
	America: "ag Antigua ai Anguilla ar Argentina/Buenos_Aires Argentina/Catamarca Argentina/ComodRivadavia Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Buenos_Aires Catamarca Cordoba Jujuy Mendoza Rosario aw Aruba bb Barbados bl St_Barthelemy bo La_Paz bq Kralendijk br Araguaina Bahia Belem Boa_Vista Campo_Grande Cuiaba Eirunepe Fortaleza Maceio Manaus Noronha Porto_Acre Porto_Velho Recife Rio_Branco Santarem Sao_Paulo bs Nassau bz Belize ca Atikokan Blanc-Sablon Cambridge_Bay Coral_Harbour Creston Dawson Dawson_Creek Edmonton Fort_Nelson Glace_Bay Goose_Bay Halifax Inuvik Iqaluit Moncton Montreal Nipigon Pangnirtung Rainy_River Rankin_Inlet Regina Resolute St_Johns Swift_Current Thunder_Bay Toronto Vancouver Whitehorse Winnipeg Yellowknife cl Coyhaique Punta_Arenas Santiago co Bogota cr Costa_Rica cu Havana cw Curacao dm Dominica do Santo_Domingo ec Guayaquil gd Grenada gf Cayenne gl Danmarkshavn Godthab Nuuk Scoresbysund Thule gp Guadeloupe gt Guatemala gy Guyana hn Tegucigalpa ht Port-au-Prince jm Jamaica kn St_Kitts ky Cayman lc St_Lucia mf Marigot mq Martinique ms Montserrat mx Bahia_Banderas Cancun Chihuahua Ciudad_Juarez Ensenada Hermosillo Matamoros Mazatlan Merida Mexico_City Monterrey Ojinaga Santa_Isabel Tijuana ni Managua pa Panama pe Lima pm Miquelon pr Puerto_Rico py Asuncion sr Paramaribo sv El_Salvador sx Lower_Princes tc Grand_Turk tt Port_of_Spain us Adak Anchorage Atka Boise Chicago Denver Detroit Fort_Wayne Indiana/Indianapolis Indiana/Knox Indiana/Marengo Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Indianapolis Juneau Kentucky/Louisville Kentucky/Monticello Knox_IN Los_Angeles Louisville Menominee Metlakatla New_York Nome North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Phoenix Shiprock Sitka Yakutat uy Montevideo vc St_Vincent ve Caracas vg Tortola vi St_Thomas Virgin",
	Antarctica: "aq Casey Davis DumontDUrville Mawson McMurdo Palmer Rothera South_Pole Syowa Troll Vostok au Macquarie",
	Arctic: "sj Longyearbyen",
	Asia: "ae Dubai af Kabul am Yerevan az Baku bd Dacca Dhaka bh Bahrain bn Brunei bt Thimbu Thimphu cn Chongqing Chungking Harbin Kashgar Shanghai Urumqi cy Famagusta Nicosia ge Tbilisi hk Hong_Kong id Jakarta Jayapura Makassar Pontianak Ujung_Pandang il Jerusalem Tel_Aviv in Calcutta Kolkata iq Baghdad ir Tehran jo Amman jp Tokyo kg Bishkek kh Phnom_Penh kp Pyongyang kr Seoul kw Kuwait kz Almaty Aqtau Aqtobe Atyrau Oral Qostanay Qyzylorda la Vientiane lb Beirut lk Colombo mm Rangoon Yangon mn Choibalsan Hovd Ulaanbaatar Ulan_Bator mo Macao Macau my Kuala_Lumpur Kuching np Kathmandu Katmandu om Muscat ph Manila pk Karachi ps Gaza Hebron qa Qatar ru Anadyr Barnaul Chita Irkutsk Kamchatka Khandyga Krasnoyarsk Magadan Novokuznetsk Novosibirsk Omsk Sakhalin Srednekolymsk Tomsk Ust-Nera Vladivostok Yakutsk Yekaterinburg sa Riyadh sg Singapore sy Damascus th Bangkok tj Dushanbe tl Dili tm Ashgabat Ashkhabad tr Istanbul tw Taipei uz Samarkand Tashkent vn Ho_Chi_Minh Saigon ye Aden",
	Atlantic: "bm Bermuda cv Cape_Verde es Canary fk Stanley fo Faeroe Faroe gs South_Georgia is Reykjavik pt Azores Madeira sh St_Helena sj Jan_Mayen",
	Australia: "au ACT Adelaide Brisbane Broken_Hill Canberra Currie Darwin Eucla Hobart LHI Lindeman Lord_Howe Melbourne NSW North Perth Queensland South Sydney Tasmania Victoria West Yancowinna",
	Brazil: "br Acre DeNoronha East West",
	Canada: "ca Atlantic Central Eastern Mountain Newfoundland Pacific Saskatchewan Yukon",
	Chile: "cl Continental EasterIsland",
	Europe: "ad Andorra al Tirane at Vienna ax Mariehamn ba Sarajevo be Brussels bg Sofia by Minsk ch Zurich cy Nicosia cz Prague de Berlin Busingen dk Copenhagen ee Tallinn es Madrid fi Helsinki fr Paris gb Belfast London gg Guernsey gi Gibraltar gr Athens hr Zagreb hu Budapest ie Dublin im Isle_of_Man it Rome je Jersey li Vaduz lt Vilnius lu Luxembourg lv Riga mc Monaco md Chisinau Tiraspol me Podgorica mk Skopje mt Malta nl Amsterdam no Oslo pl Warsaw pt Lisbon ro Bucharest rs Belgrade ru Astrakhan Kaliningrad Kirov Moscow Samara Saratov Ulyanovsk Volgograd se Stockholm si Ljubljana sk Bratislava sm San_Marino tr Istanbul ua Kiev Kyiv Simferopol Uzhgorod Zaporozhye va Vatican",
	Indian: "cc Cocos cx Christmas io Chagos km Comoro mg Antananarivo mu Mauritius mv Maldives re Reunion sc Mahe tf Kerguelen yt Mayotte",
	Mexico: "mx BajaNorte BajaSur General",
	Pacific: "as Pago_Pago Samoa ck Rarotonga cl Easter ec Galapagos fj Fiji fm Chuuk Kosrae Pohnpei Ponape Truk Yap gu Guam ki Enderbury Kanton Kiritimati Tarawa mh Kwajalein Majuro mp Saipan nc Noumea nf Norfolk nr Nauru nu Niue nz Auckland Chatham pf Gambier Marquesas Tahiti pg Bougainville Port_Moresby pn Pitcairn pw Palau sb Guadalcanal tk Fakaofo to Tongatapu tv Funafuti um Midway Wake us Honolulu Johnston vu Efate wf Wallis ws Apia",
	US: "as Samoa us Alaska Aleutian Arizona Central East-Indiana Eastern Hawaii Indiana-Starke Michigan Mountain Pacific",
};

/** Countries by the codes of their regions, which "-" separates, the likeliest first. */
const countriesOfRegions = {
	"ANZ": "AR CL",
	"ANZ-ANZ_433": "AU",
	"ANZ-NZ_865-ANZ_433": "NZ",
	"BR_902-ANZ": "BR",
	"CN": "CN",
	"EU_868-EU_433": "AL AT BA BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IT LT LU LV ME MK NL NO PL PT RO RS SE SI SK TR VA",
	"IN": "IN",
	"JP": "JP",
	"KR": "KR",
	"KZ_863-KZ_433": "KZ",
	"MY_919-MY_433": "MY",
	"NP_865": "NP",
	"PH_915-PH_868-PH_433": "PH",
	"RU": "RU",
	"SG_923": "SG",
	"TH": "TH",
	"TW": "TW",
	"UA_868-UA_433-EU_868": "UA",
	"US": "CA US",
};
