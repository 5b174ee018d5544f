/// The vocabulary of the generated documents: 776 common English words, tags take the first 50.
///
/// The order is part of the data set: a word is drawn by its place.
enum Words {
  static let all: [[UInt8]] = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { Array($0.utf8) }
  static let tagCount = 50

  private static let text = """
    able about above accept across action active actor add admit adult affect after again agent agree ahead air
    allow alone along always amount animal answer appear apple april argue arm around arrive art article artist
    aside ask assume attack author avoid away baby back bag ball bank bar base battle beach bear beat beautiful
    because become bed before begin behind believe benefit best better beyond big bill bird bit black blood blue
    board body book born both bottle bottom box boy break bring brother budget build building business buy call
    camera campaign can cancer candle capital car card care career carry case catch cause cell center central
    century certain chair challenge chance change character charge check child choice choose church citizen city
    civil claim class clear close coach cold collection college color come common community company compare computer
    concern condition conference consider consumer contain continue control cost could country couple course court
    cover create crime culture cup current customer cut dark data daughter day deal debate decade decide decision
    deep defense degree describe design despite detail develop difference dinner direction director discover discuss
    disease doctor dog door down draw dream drive drop drug during each early east easy economy edge education
    effect effort eight either election else employee end energy enjoy enough enter entire environment especially
    establish evening event ever every evidence exactly example executive exist expect experience expert explain eye
    face fact factor fail fall family far fast father fear federal feel few field fight figure fill film final
    finally find fine finger finish fire firm first fish five floor fly focus follow food foot force foreign forget
    form former forward four free friend front full fund future game garden gas general get girl give glass goal
    good government great green ground group grow growth guess gun guy hair half hand hang happen happy hard head
    health hear heart heat heavy help here high history hit hold home hope hospital hot hotel hour house huge human
    hundred husband idea identify image imagine impact important improve include increase indeed indicate industry
    information inside instead interest interview investment issue item job join just keep key kid kill kind kitchen
    know land language large last late laugh law lawyer lay lead leader learn least leave left leg legal less letter
    level life light like likely line list listen little live local long look lose loss lot love low machine
    magazine main major manage market marriage material matter maybe mean measure media medical meet meeting member
    memory mention message method middle military million mind minute mission model modern moment money month more
    morning mother mouth move movement movie music name nation nature near need network never new news night nine
    north note nothing notice number occur offer office officer often oil old once one only open operation option
    order other outside over own owner page pain painting paper parent part party pass past patient pattern pay
    peace people perform period person phone pick picture piece place plan plant play player point police policy
    poor popular population position possible power practice prepare present president pressure pretty prevent price
    private problem process produce product professor program project property protect prove provide public pull
    purpose push put quality question quick quiet quite race radio raise range rate rather reach read ready real
    reason receive recent record red reduce region relate remain remember remove report require research resource
    respond rest result return reveal rich right rise risk road rock role room rule run safe same save scene school
    science score sea season seat second section see seek seem sell send senior sense series serious serve seven
    several shake share shoot short shot should show side sign simple since sing single sister site six size skill
    skin small smile social society soldier some son song soon sort sound source south space speak special speech
    spend sport spring staff stage stand standard star start state station stay step still stock stop store story
    strategy street strong structure student study stuff style subject success such suffer suggest summer support
    sure surface system table take talk task tax teach team tell ten tend term test thank then theory thing think
    third this those thought thousand threat three through throw time today together tonight top total tough toward
    town trade tradition travel treat tree trial trip trouble true trust truth try turn two type under unit until
    upon use usual value various very victim view violence visit voice vote wait walk wall want war watch water way
    weapon wear week weight west whatever wheel when where white whole why wide wife will win wind window wish
    within wonder word work world worry write wrong yard yes yet young
    """
}
